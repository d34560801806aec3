package io.millrace.manager.queue;

import io.millrace.api.queue.QueueControl;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.result.RowView;

/** Queues that operators have paused. Stateless; runs in the caller's transaction. */
public final class ControlDao {
  private ControlDao() {}

  /** Every queue with something paused, by name. */
  public static List<QueueControl> all(Handle handle) {
    return handle
        .createQuery("select * from queue_control order by queue")
        .map(ControlDao::row)
        .list();
  }

  public static Optional<QueueControl> find(Handle handle, String queue) {
    return handle
        .createQuery("select * from queue_control where queue = :queue")
        .bind("queue", queue)
        .map(ControlDao::row)
        .findOne();
  }

  /**
   * The row of a queue, locked until the end of the transaction, which then updates or removes it.
   * A missing row is created first, because it cannot be locked.
   */
  public static QueueControl lock(Handle handle, QueueControl nothing) {
    handle
        .createUpdate(
            """
            insert ignore into queue_control (queue, sending_paused, consuming_paused, said_by,
                said_at)
            values (:queue, false, false, :by, :at)
            """)
        .bind("queue", nothing.queue())
        .bind("by", nothing.by())
        .bind("at", nothing.at())
        .execute();
    return handle
        .createQuery("select * from queue_control where queue = :queue for update")
        .bind("queue", nothing.queue())
        .map(ControlDao::row)
        .one();
  }

  public static void put(Handle handle, QueueControl control) {
    handle
        .createUpdate(
            """
            insert into queue_control (queue, sending_paused, consuming_paused, said_by,
                said_at, reason)
            values (:queue, :sending, :consuming, :by, :at, :reason)
            on duplicate key update sending_paused = values(sending_paused),
                consuming_paused = values(consuming_paused), said_by = values(said_by),
                said_at = values(said_at), reason = values(reason)
            """)
        .bind("queue", control.queue())
        .bind("sending", control.sendingPaused())
        .bind("consuming", control.consumingPaused())
        .bind("by", control.by())
        .bind("at", control.at())
        .bind("reason", control.reason())
        .execute();
  }

  public static void remove(Handle handle, String queue) {
    handle
        .createUpdate("delete from queue_control where queue = :queue")
        .bind("queue", queue)
        .execute();
  }

  private static QueueControl row(RowView row) {
    return new QueueControl(
        row.getColumn("queue", String.class),
        row.getColumn("sending_paused", Boolean.class),
        row.getColumn("consuming_paused", Boolean.class),
        row.getColumn("said_by", String.class),
        row.getColumn("said_at", Instant.class),
        row.getColumn("reason", String.class));
  }
}
