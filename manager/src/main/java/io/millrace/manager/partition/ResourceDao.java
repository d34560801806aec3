package io.millrace.manager.partition;

import io.millrace.manager.partition.Allotment.KeptResource;
import io.millrace.manager.partition.Allotment.Owned;
import java.util.List;
import java.util.function.Consumer;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.PreparedBatch;
import org.jdbi.v3.core.statement.Update;

/**
 * The table {@code partition_resource}: the owner of each resource of a group, and which member is
 * polling it. Stateless; works in its caller's transaction, which holds the group's lock.
 */
public final class ResourceDao {
  private static final int CHUNK = 1_000;

  /** All resources of a group in a cycle. */
  public List<KeptResource> of(Handle handle, String group, long cycle) {
    return handle
        .createQuery(
            """
            select resource, owner, next_cycle, holder
            from partition_resource
            where group_name = :group
            """)
        .bind("group", group)
        .map(
            (row, context) ->
                new KeptResource(
                    row.getString("resource"),
                    row.getString("owner"),
                    row.getLong("next_cycle") > cycle ? row.getLong("holder") : 0))
        .list();
  }

  /** Carries out an assignment of resources in a cycle. */
  public void change(Handle handle, String group, long cycle, Allotment allotment) {
    inChunks(
        allotment.vanished(),
        some ->
            several(
                    handle,
                    """
                    delete from partition_resource
                    where group_name = :group and resource in (<resources>)
                    """,
                    group,
                    some)
                .execute());
    inChunks(
        allotment.added(),
        some ->
            each(
                handle,
                // Never polled, hence polled first.
                """
                insert into partition_resource (group_name, resource, owner, next_cycle, holder)
                values (:group, :resource, :owner, 0, 0)
                """,
                group,
                some));
    inChunks(
        allotment.moved(),
        some ->
            each(
                handle,
                """
                update partition_resource
                set owner = :owner
                where group_name = :group and resource = :resource
                """,
                group,
                some));
    inChunks(
        allotment.released(),
        some ->
            several(
                    handle,
                    """
                    update partition_resource
                    set next_cycle = :cycle, holder = 0
                    where group_name = :group and resource in (<resources>)
                    """,
                    group,
                    some)
                .bind("cycle", cycle)
                .execute());
  }

  /** The resources that a member is polling in a cycle. */
  public List<String> held(Handle handle, String group, long cycle, long term) {
    return handle
        .createQuery(
            """
            select resource
            from partition_resource
            where group_name = :group and holder = :term and next_cycle = :next
            """)
        .bind("group", group)
        .bind("term", term)
        .bind("next", cycle + 1)
        .mapTo(String.class)
        .list();
  }

  /** Hands a member its next waiting resources, those polled longest ago first. */
  public List<String> take(
      Handle handle, String group, long cycle, String owner, long term, int most) {
    List<String> taken =
        handle
            .createQuery(
                """
                select resource
                from partition_resource
                where group_name = :group and owner = :owner and next_cycle <= :cycle
                order by next_cycle
                limit :most
                """)
            .bind("group", group)
            .bind("owner", owner)
            .bind("cycle", cycle)
            .bind("most", most)
            .mapTo(String.class)
            .list();
    inChunks(
        taken,
        some ->
            several(
                    handle,
                    """
                    update partition_resource
                    set next_cycle = :next, holder = :term
                    where group_name = :group and resource in (<resources>)
                    """,
                    group,
                    some)
                .bind("next", cycle + 1)
                .bind("term", term)
                .execute());
    return taken;
  }

  /** Records that a member polled resources; how many of them it was polling in that cycle. */
  public int done(Handle handle, String group, long cycle, long term, List<String> polled) {
    if (polled.isEmpty()) {
      return 0;
    }
    return several(
            handle,
            """
            update partition_resource
            set holder = 0
            where group_name = :group and resource in (<resources>)
                and holder = :term and next_cycle = :next
            """,
            group,
            polled)
        .bind("term", term)
        .bind("next", cycle + 1)
        .execute();
  }

  /** Deletes all resources of a group. */
  public void forget(Handle handle, String group) {
    handle
        .createUpdate("delete from partition_resource where group_name = :group")
        .bind("group", group)
        .execute();
  }

  private static Update several(Handle handle, String sql, String group, List<String> resources) {
    return handle.createUpdate(sql).bind("group", group).bindList("resources", resources);
  }

  private static void each(Handle handle, String sql, String group, List<Owned> resources) {
    PreparedBatch batch = handle.prepareBatch(sql);
    for (Owned one : resources) {
      batch.bind("group", group).bind("resource", one.resource()).bind("owner", one.owner()).add();
    }
    batch.execute();
  }

  private static <T> void inChunks(List<T> all, Consumer<List<T>> work) {
    for (int from = 0; from < all.size(); from += CHUNK) {
      work.accept(all.subList(from, Math.min(from + CHUNK, all.size())));
    }
  }
}
