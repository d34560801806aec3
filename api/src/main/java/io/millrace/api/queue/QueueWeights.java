package io.millrace.api.queue;

import io.millrace.api.session.SlotTable;
import java.util.Map;

/**
 * A queue's weight row: how its 1000 points are distributed over the nodes (H-054). Changed only by
 * compare-and-set on the version.
 *
 * @param queue the queue
 * @param version rises with every change
 * @param points points by queue node's name; nodes without points are omitted
 * @param slots of a queue of sessions: which node has which slot, as many as it has points; null
 *     for any other queue
 */
public record QueueWeights(
    String queue, long version, Map<String, Integer> points, SlotTable slots) {
  /** Points of every queue. */
  public static final int TOTAL = SlotTable.SLOTS;

  public QueueWeights {
    points = Map.copyOf(points);
    int sum = points.values().stream().mapToInt(Integer::intValue).sum();
    if (sum != TOTAL || points.values().stream().anyMatch(share -> share <= 0)) {
      throw new IllegalArgumentException(
          "the points of " + queue + " are positive and sum to 1000, not " + points);
    }
    if (slots != null && !slots.points().equals(points)) {
      throw new IllegalArgumentException(
          "the nodes of " + queue + " have as many slots as points, not " + slots);
    }
  }

  /** The row of a queue without sessions. */
  public QueueWeights(String queue, long version, Map<String, Integer> points) {
    this(queue, version, points, null);
  }

  /** The points of a node; 0 when it has none. */
  public int of(String node) {
    return points.getOrDefault(node, 0);
  }
}
