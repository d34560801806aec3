package io.millrace.manager.weight;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import io.millrace.api.Json;
import io.millrace.api.queue.QueueWeights;
import io.millrace.api.weight.BalancingKind;
import io.millrace.api.weight.WeightsView.WeightChange;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.result.RowView;

/**
 * The weight rows, which change only by compare-and-set on their version (H-054), and the history
 * of their versions. Stateless; runs in the caller's transaction.
 */
public final class WeightDao {
  private static final int CHUNK = 1_000;
  private static final int LONGEST_REASON = 2_000;

  private WeightDao() {}

  /**
   * Every weight row, by queue. One whose slots were not changed with it, by a server of an earlier
   * version, is without slots until they are stored again.
   */
  public static List<QueueWeights> all(Handle handle) {
    return handle
        .createQuery(
            """
            select w.queue, w.version, w.points, s.slots
            from queue_weight w
            left join queue_slot s on s.queue = w.queue and s.version = w.version
            order by w.queue
            """)
        .map(WeightDao::row)
        .list();
  }

  /**
   * Adds a queue's first row; false when the queue has a row already. Its version follows those of
   * an earlier queue of that name, which are in the history.
   */
  public static boolean add(Handle handle, String queue, Map<String, Integer> points) {
    QueueWeights first = new QueueWeights(queue, lastVersion(handle, queue) + 1, points);
    return handle
            .createUpdate(
                """
                insert ignore into queue_weight (queue, version, points)
                values (:queue, :version, :points)
                """)
            .bind("queue", queue)
            .bind("version", first.version())
            .bind("points", json(first.points()))
            .execute()
        == 1;
  }

  private static long lastVersion(Handle handle, String queue) {
    return handle
        .createQuery(
            """
            select version
            from weight_history
            where queue = :queue
            order by queue desc, version desc
            limit 1
            """)
        .bind("queue", queue)
        .mapTo(Long.class)
        .findOne()
        .orElse(0L);
  }

  /** Removes the row of a deleted queue; its history stays. */
  public static void remove(Handle handle, String queue) {
    SlotDao.remove(handle, queue);
    handle
        .createUpdate("delete from queue_weight where queue = :queue")
        .bind("queue", queue)
        .execute();
  }

  /** Replaces a row if it still has this version; false otherwise. */
  public static boolean replace(Handle handle, QueueWeights expected, Map<String, Integer> points) {
    QueueWeights next = new QueueWeights(expected.queue(), expected.version() + 1, points);
    return handle
            .createUpdate(
                """
                update queue_weight
                set version = :next, points = :points
                where queue = :queue and version = :expected
                """)
            .bind("next", next.version())
            .bind("points", json(next.points()))
            .bind("queue", next.queue())
            .bind("expected", expected.version())
            .execute()
        == 1;
  }

  /**
   * Locks the queue's row until the end of the transaction, which serializes decisions about all
   * segments of the queue.
   */
  public static void lock(Handle handle, String queue) {
    handle
        .createQuery(
            """
            select version
            from queue_weight
            where queue = :queue
            for update
            """)
        .bind("queue", queue)
        .mapTo(Long.class)
        .findOne();
  }

  /** Locks a queue's row, as {@link #lock}, and reads it; empty when there is none. */
  public static Optional<QueueWeights> lockRow(Handle handle, String queue) {
    lock(handle, queue);
    return find(handle, queue);
  }

  /** The row of a queue; empty when there is none. */
  public static Optional<QueueWeights> find(Handle handle, String queue) {
    return handle
        .createQuery(
            """
            select w.queue, w.version, w.points, s.slots
            from queue_weight w
            left join queue_slot s on s.queue = w.queue and s.version = w.version
            where w.queue = :queue
            """)
        .bind("queue", queue)
        .map(WeightDao::row)
        .findOne();
  }

  /** Adds a version to the history; false when it is there already. */
  public static boolean addVersion(Handle handle, WeightChange change) {
    return handle
            .createUpdate(
                """
                insert ignore into weight_history (queue, version, changed_at, points, kind, reason)
                values (:queue, :version, :at, :points, :kind, :reason)
                """)
            .bind("queue", change.queue())
            .bind("version", change.version())
            .bind("at", change.at())
            .bind("points", json(change.points()))
            .bind("kind", change.kind().name())
            .bind("reason", shortened(change.reason()))
            .execute()
        == 1;
  }

  /** The version in force at a time and all that followed, oldest first. */
  public static List<WeightChange> versionsSince(Handle handle, String queue, Instant since) {
    return handle
        .createQuery(
            """
            select *
            from weight_history
            where queue = :queue
                and version >= coalesce((
                    select max(version)
                    from weight_history
                    where queue = :queue and changed_at <= :since), 0)
            order by version
            """)
        .bind("queue", queue)
        .bind("since", since)
        .map(WeightDao::change)
        .list();
  }

  /** Deletes some versions from before a time, never the one in force; whether more may be left. */
  public static boolean forgetSomeVersions(Handle handle, Instant before) {
    return handle
            .createUpdate(
                """
                delete from weight_history
                where changed_at < :before
                    and not exists (
                        select 1
                        from queue_weight
                        where queue_weight.queue = weight_history.queue
                            and queue_weight.version = weight_history.version)
                limit :limit
                """)
            .bind("before", before)
            .bind("limit", CHUNK)
            .execute()
        == CHUNK;
  }

  /** The stored form of points. */
  public static String json(Map<String, Integer> points) {
    return Json.write(new TreeMap<>(points));
  }

  /** Reads the stored form of points. */
  public static Map<String, Integer> points(String json) {
    try {
      return Json.mapper().readValue(json, new TypeReference<Map<String, Integer>>() {});
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("unreadable points: " + json, e);
    }
  }

  private static QueueWeights row(RowView row) {
    String slots = row.getColumn("slots", String.class);
    return new QueueWeights(
        row.getColumn("queue", String.class),
        row.getColumn("version", Long.class),
        points(row.getColumn("points", String.class)),
        slots == null ? null : SlotDao.read(slots));
  }

  private static WeightChange change(RowView row) {
    return new WeightChange(
        row.getColumn("queue", String.class),
        row.getColumn("version", Long.class),
        row.getColumn("changed_at", Instant.class),
        points(row.getColumn("points", String.class)),
        BalancingKind.valueOf(row.getColumn("kind", String.class)),
        row.getColumn("reason", String.class));
  }

  /** Shortens a reason to the length of its column. */
  public static String shortened(String reason) {
    return reason == null ? "" : reason.substring(0, Math.min(reason.length(), LONGEST_REASON));
  }
}
