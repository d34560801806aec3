package io.millrace.manager.weight;

import io.millrace.api.Json;
import io.millrace.api.session.SlotTable;
import java.util.Optional;
import org.jdbi.v3.core.Handle;

/**
 * The slots of queues of sessions, each row under the version of the queue's weight row, with which
 * it is written in one transaction. Stateless; runs in the caller's transaction.
 */
final class SlotDao {
  private SlotDao() {}

  /** Stores the slots of a version of a weight row. */
  static void put(Handle handle, String queue, long version, SlotTable slots) {
    int changed =
        handle
            .createUpdate(
                """
                update queue_slot
                set version = :version, slots = :slots
                where queue = :queue
                """)
            .bind("queue", queue)
            .bind("version", version)
            .bind("slots", Json.write(slots))
            .execute();
    if (changed == 0) {
      handle
          .createUpdate(
              """
              insert into queue_slot (queue, version, slots)
              values (:queue, :version, :slots)
              """)
          .bind("queue", queue)
          .bind("version", version)
          .bind("slots", Json.write(slots))
          .execute();
    }
  }

  /** The slots that were stored last, of whatever version; empty for none. */
  static Optional<SlotTable> last(Handle handle, String queue) {
    return handle
        .createQuery("select slots from queue_slot where queue = :queue")
        .bind("queue", queue)
        .mapTo(String.class)
        .findOne()
        .map(SlotDao::read);
  }

  /** The slots of this version; empty when there are none, or only those of another version. */
  static Optional<SlotTable> find(Handle handle, String queue, long version) {
    return handle
        .createQuery("select slots from queue_slot where queue = :queue and version = :version")
        .bind("queue", queue)
        .bind("version", version)
        .mapTo(String.class)
        .findOne()
        .map(SlotDao::read);
  }

  /** Removes those of a deleted queue. */
  static void remove(Handle handle, String queue) {
    handle
        .createUpdate("delete from queue_slot where queue = :queue")
        .bind("queue", queue)
        .execute();
  }

  /** Reads the stored form. */
  static SlotTable read(String json) {
    return Json.read(json, SlotTable.class);
  }
}
