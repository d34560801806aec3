package io.millrace.manager.weight;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import io.millrace.api.Json;
import io.millrace.api.queue.QueueWeights;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.result.RowView;

/**
 * The weight rows; they change only by compare-and-set on their version (H-054). Stateless; runs in
 * the caller's transaction.
 */
public final class WeightDao {
  private WeightDao() {}

  /** Every weight row, by queue. */
  public static List<QueueWeights> all(Handle handle) {
    return handle
        .createQuery("select queue, version, points from queue_weight order by queue")
        .map(WeightDao::row)
        .list();
  }

  /** Adds a queue's first row, version 1; false when it has one already. */
  public static boolean add(Handle handle, String queue, Map<String, Integer> points) {
    QueueWeights first = new QueueWeights(queue, 1, points);
    return handle
            .createUpdate(
                """
                insert ignore into queue_weight (queue, version, points)
                values (:queue, 1, :points)
                """)
            .bind("queue", queue)
            .bind("points", json(first.points()))
            .execute()
        == 1;
  }

  /** Replaces a row that still has this version; false when it has not. */
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
   * Locks the queue's row until the end of the transaction, so that what holds over all segments of
   * the queue is decided by one at a time.
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

  /** Locks a queue's row, as {@link #lock}, and reads it; empty when it has none. */
  public static Optional<QueueWeights> lockRow(Handle handle, String queue) {
    return handle
        .createQuery(
            """
            select queue, version, points
            from queue_weight
            where queue = :queue
            for update
            """)
        .bind("queue", queue)
        .map(WeightDao::row)
        .findOne();
  }

  /** The row of a queue; empty when it has none. */
  public static Optional<QueueWeights> find(Handle handle, String queue) {
    return handle
        .createQuery(
            """
            select queue, version, points
            from queue_weight
            where queue = :queue
            """)
        .bind("queue", queue)
        .map(WeightDao::row)
        .findOne();
  }

  public static String json(Map<String, Integer> points) {
    return Json.write(new TreeMap<>(points));
  }

  public static Map<String, Integer> points(String json) {
    try {
      return Json.mapper().readValue(json, new TypeReference<Map<String, Integer>>() {});
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("not points: " + json, e);
    }
  }

  private static QueueWeights row(RowView row) {
    return new QueueWeights(
        row.getColumn("queue", String.class),
        row.getColumn("version", Long.class),
        points(row.getColumn("points", String.class)));
  }
}
