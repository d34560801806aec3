package io.millrace.manager.dispatch;

import io.millrace.manager.dispatch.DenylistDao.NodeDefinition;
import io.millrace.manager.dispatch.DenylistRule.ItemFailure;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.PreparedBatch;

/** The table {@code node_failure}: items that failed quickly on a node. Stateless. */
public final class NodeFailureDao {
  private static final int LONGEST_REASON = 200;

  /** A hundred nodes with as many items as are kept of each. */
  private static final int MOST = 2_000;

  /** Whether there is any failure of the definitions since that time. */
  public boolean exists(Handle handle, Collection<String> definitions, Instant since) {
    return !definitions.isEmpty()
        && handle
            .createQuery(
                """
                select 1
                from node_failure
                where definition in (<definitions>) and failed_at >= :since
                limit 1
                """)
            .bindList("definitions", List.copyOf(definitions))
            .bind("since", since)
            .mapTo(Integer.class)
            .findOne()
            .isPresent();
  }

  /**
   * Locks the failures of the definitions since that time, so that what is decided from them is not
   * decided twice; the oldest first, by item. At most 2,000 are read, those of the given nodes
   * first.
   *
   * @param nodes whose failures are needed
   * @param others whether those of all other nodes are, too
   */
  public Map<NodeDefinition, Map<String, ItemFailure>> lock(
      Handle handle,
      Collection<String> definitions,
      Collection<String> nodes,
      boolean others,
      Instant since) {
    Map<NodeDefinition, Map<String, ItemFailure>> found = new TreeMap<>();
    if (definitions.isEmpty() || nodes.isEmpty()) {
      return found;
    }
    handle
        .createQuery(
            """
            select node_id, definition, item, failed_at, reason, succeeded_on, elsewhere
            from node_failure
            where definition in (<definitions>) and failed_at >= :since
                and (:others or node_id in (<nodes>))
            order by case when node_id in (<nodes>) then 0 else 1 end, node_id, definition, item
            limit :most
            for update
            """)
        .bindList("definitions", List.copyOf(definitions))
        .bindList("nodes", List.copyOf(nodes))
        .bind("others", others)
        .bind("since", since)
        .bind("most", MOST)
        .map(
            row -> {
              ItemFailure failure =
                  new ItemFailure(
                      row.getColumn("item", String.class),
                      row.getColumn("failed_at", Instant.class),
                      row.getColumn("reason", String.class),
                      row.getColumn("succeeded_on", String.class),
                      row.getColumn("elsewhere", Integer.class));
              return Map.entry(
                  new NodeDefinition(
                      row.getColumn("node_id", String.class),
                      row.getColumn("definition", String.class)),
                  failure);
            })
        .stream()
        .sorted(
            Comparator.comparing(
                    (Map.Entry<NodeDefinition, ItemFailure> entry) -> entry.getValue().at())
                .thenComparing(entry -> entry.getValue().item()))
        .forEach(
            entry ->
                found
                    .computeIfAbsent(entry.getKey(), none -> new LinkedHashMap<>())
                    .put(entry.getValue().item(), entry.getValue()));
    return found;
  }

  /**
   * Writes the failures of one definition on one node; others of it stay. What another transaction
   * has recorded of the same item meanwhile stays too.
   */
  public void write(Handle handle, NodeDefinition key, Collection<ItemFailure> failures) {
    if (failures.isEmpty()) {
      return;
    }
    PreparedBatch batch =
        handle.prepareBatch(
            """
            insert into node_failure (node_id, definition, item, failed_at, reason, succeeded_on,
                elsewhere)
            values (:node, :definition, :item, :at, :reason, :succeeded, :elsewhere)
            on duplicate key update
                succeeded_on = coalesce(succeeded_on, values(succeeded_on)),
                elsewhere = greatest(elsewhere, values(elsewhere))
            """);
    failures.stream()
        .sorted(Comparator.comparing(ItemFailure::item))
        .forEach(
            failure ->
                batch
                    .bind("node", key.node())
                    .bind("definition", key.definition())
                    .bind("item", failure.item())
                    .bind("at", failure.at())
                    .bind("reason", start(failure.reason()))
                    .bind("succeeded", failure.succeededOn())
                    .bind("elsewhere", failure.elsewhere())
                    .add());
    batch.execute();
  }

  /** Deletes all failures of one definition on one node. */
  public void delete(Handle handle, NodeDefinition key) {
    handle
        .createUpdate(
            """
            delete from node_failure
            where node_id = :node and definition = :definition
            """)
        .bind("node", key.node())
        .bind("definition", key.definition())
        .execute();
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
            delete from node_failure
            where node_id in (<nodes>) and definition like :pattern escape '!'
            """)
        .bindList("nodes", nodes)
        .bind("pattern", pattern)
        .execute();
  }

  /** Deletes failures before that time; returns how many. */
  public int deleteBefore(Handle handle, Instant before, int limit) {
    return handle
        .createUpdate("delete from node_failure where failed_at < :before limit :limit")
        .bind("before", before)
        .bind("limit", limit)
        .execute();
  }

  private static String start(String text) {
    return text.length() <= LONGEST_REASON ? text : text.substring(0, LONGEST_REASON);
  }
}
