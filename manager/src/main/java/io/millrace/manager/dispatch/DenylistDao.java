package io.millrace.manager.dispatch;

import io.millrace.manager.dispatch.DenylistRule.Denial;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.result.RowView;
import org.jdbi.v3.core.statement.PreparedBatch;
import org.jdbi.v3.core.statement.Query;

/**
 * The table {@code node_closure}: which definitions and users are denied to which nodes. Stateless.
 */
public final class DenylistDao {
  private static final int LONGEST_REASON = 1000;

  /**
   * The key of a row.
   *
   * @param node the node's id
   * @param definition the definition of the jobs
   */
  public record NodeDefinition(String node, String definition)
      implements Comparable<NodeDefinition> {
    private static final Comparator<NodeDefinition> ORDER =
        Comparator.comparing(NodeDefinition::node).thenComparing(NodeDefinition::definition);

    @Override
    public int compareTo(NodeDefinition other) {
      return ORDER.compare(this, other);
    }
  }

  private record Row(NodeDefinition key, Denial denial) {}

  /** Those of the keys that have a row. */
  public Set<NodeDefinition> existing(Handle handle, Set<NodeDefinition> keys) {
    return new TreeSet<>(
        find(
                handle,
                """
                select *
                from node_closure
                where node_id in (<nodes>) and definition in (<definitions>)
                """,
                keys)
            .keySet());
  }

  /** The denials of users on these nodes. */
  public Set<NodeDefinition> users(Handle handle, Collection<String> nodes) {
    if (nodes.isEmpty()) {
      return Set.of();
    }
    return new TreeSet<>(
        handle
            .createQuery(
                """
                select node_id, definition
                from node_closure
                where node_id in (<nodes>) and definition >= 'user:' and definition < 'user;'
                """)
            .bindList("nodes", List.copyOf(nodes))
            .map(
                (RowView row) ->
                    new NodeDefinition(
                        row.getColumn("node_id", String.class),
                        row.getColumn("definition", String.class)))
            .list());
  }

  /** Locks the rows of the keys, in order; keys without a row are left out. */
  public Map<NodeDefinition, Denial> lock(Handle handle, Set<NodeDefinition> keys) {
    return find(
        handle,
        """
        select *
        from node_closure
        where node_id in (<nodes>) and definition in (<definitions>)
        order by node_id, definition
        for update
        """,
        keys);
  }

  private static Map<NodeDefinition, Denial> find(
      Handle handle, String query, Set<NodeDefinition> keys) {
    Map<NodeDefinition, Denial> found = new TreeMap<>();
    rows(
            handle
                .createQuery(query)
                .bindList("nodes", keys.stream().map(NodeDefinition::node).distinct().toList())
                .bindList(
                    "definitions",
                    keys.stream().map(NodeDefinition::definition).distinct().toList()))
        .stream()
        .filter(row -> keys.contains(row.key))
        .forEach(row -> found.put(row.key, row.denial));
    return found;
  }

  /** Writes the differences. */
  public void replace(
      Handle handle,
      Map<NodeDefinition, Denial> before,
      Map<NodeDefinition, Denial> after,
      Instant now) {
    Set<NodeDefinition> removed = new TreeSet<>(before.keySet());
    removed.removeAll(after.keySet());
    delete(handle, removed);
    Map<NodeDefinition, Denial> changed = new TreeMap<>(after);
    changed.entrySet().removeIf(entry -> entry.getValue().equals(before.get(entry.getKey())));
    if (changed.isEmpty()) {
      return;
    }
    PreparedBatch batch =
        handle.prepareBatch(
            """
            insert into node_closure (node_id, definition, quick_failures, times, closed_until,
                reason, changed_at)
            values (:node, :definition, :count, :times, :until, :reason, :now)
            on duplicate key update quick_failures = values(quick_failures),
                times = values(times), closed_until = values(closed_until),
                reason = values(reason), changed_at = values(changed_at)
            """);
    changed.forEach(
        (key, denial) ->
            batch
                .bind("node", key.node())
                .bind("definition", key.definition())
                .bind("count", denial.count())
                .bind("times", denial.times())
                .bind("until", denial.until())
                .bind("reason", shortened(denial.reason()))
                .bind("now", now)
                .add());
    batch.execute();
  }

  private static void delete(Handle handle, Collection<NodeDefinition> keys) {
    if (keys.isEmpty()) {
      return;
    }
    PreparedBatch batch =
        handle.prepareBatch(
            """
            delete from node_closure
            where node_id = :node and definition = :definition
            """);
    keys.forEach(key -> batch.bind("node", key.node()).bind("definition", key.definition()).add());
    batch.execute();
  }

  /** Nodes that are denied definitions: for a time, or while a trial job runs after it. */
  public Map<NodeDefinition, Denial> inForce(Handle handle, Instant now) {
    return byKey(
        handle,
        """
        select *
        from node_closure c
        where closed_until is not null and (closed_until > :now or exists (
            select 1
            from booking b
            where b.node_id = c.node_id and b.definition = c.definition))
        order by node_id, definition
        """,
        now);
  }

  /** Nodes that take a single job of a definition, because the denial has expired. */
  public Map<NodeDefinition, Denial> onTrial(Handle handle, Instant now) {
    return byKey(
        handle,
        """
        select *
        from node_closure c
        where closed_until <= :now and not exists (
            select 1
            from booking b
            where b.node_id = c.node_id and b.definition = c.definition)
        order by node_id, definition
        """,
        now);
  }

  private static Map<NodeDefinition, Denial> byKey(Handle handle, String query, Instant now) {
    Map<NodeDefinition, Denial> found = new LinkedHashMap<>();
    rows(handle.createQuery(query).bind("now", now)).forEach(row -> found.put(row.key, row.denial));
    return found;
  }

  /**
   * Removes what there is of a deleted definition on these nodes.
   *
   * @param pattern of the definitions of its jobs, as {@code like} with {@code !} before a literal
   */
  public void remove(Handle handle, Collection<String> nodes, String pattern) {
    handle
        .createUpdate(
            """
            delete from node_closure
            where node_id in (<nodes>) and definition like :pattern escape '!'
            """)
        .bindList("nodes", nodes)
        .bind("pattern", pattern)
        .execute();
  }

  /** Deletes rows that have not changed since that time; returns how many. */
  public int deleteUnchanged(Handle handle, Instant since, int limit) {
    return handle
        .createUpdate("delete from node_closure where changed_at < :since limit :limit")
        .bind("since", since)
        .bind("limit", limit)
        .execute();
  }

  private static List<Row> rows(Query query) {
    return query.map(DenylistDao::row).list();
  }

  private static Row row(RowView row) {
    return new Row(
        new NodeDefinition(
            row.getColumn("node_id", String.class), row.getColumn("definition", String.class)),
        new Denial(
            row.getColumn("quick_failures", Integer.class),
            row.getColumn("times", Integer.class),
            row.getColumn("closed_until", Instant.class),
            row.getColumn("reason", String.class)));
  }

  private static String shortened(String text) {
    return text.length() <= LONGEST_REASON ? text : text.substring(0, LONGEST_REASON);
  }
}
