package io.millrace.manager.queue;

import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.result.RowView;

/** The table {@code dead_letter_count}. Stateless; works in its caller's transaction. */
public final class DeadLetterDao {
  private DeadLetterDao() {}

  /** The dead letters last counted, by queue. */
  public static Map<String, Long> all(Handle handle) {
    return handle
        .createQuery("select queue, dead from dead_letter_count")
        .map(
            (RowView row) ->
                Map.entry(row.getColumn("queue", String.class), row.getColumn("dead", Long.class)))
        .stream()
        .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
  }

  /** The dead letters of a queue last counted; empty if they never were. */
  public static Optional<Long> count(Handle handle, String queue) {
    return handle
        .createQuery("select dead from dead_letter_count where queue = :queue for update")
        .bind("queue", queue)
        .mapTo(Long.class)
        .findOne();
  }

  /** Replaces the count of a queue. */
  public static void put(Handle handle, String queue, long dead) {
    handle
        .createUpdate(
            """
            insert into dead_letter_count (queue, dead)
            values (:queue, :dead)
            on duplicate key update dead = values(dead)
            """)
        .bind("queue", queue)
        .bind("dead", dead)
        .execute();
  }

  /** Deletes the count of a queue that no longer notifies. */
  public static boolean forget(Handle handle, String queue) {
    return handle
            .createUpdate("delete from dead_letter_count where queue = :queue")
            .bind("queue", queue)
            .execute()
        == 1;
  }
}
