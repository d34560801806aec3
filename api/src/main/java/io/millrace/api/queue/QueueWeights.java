package io.millrace.api.queue;

import java.util.Map;

/**
 * A queue's weight row: how its 1000 points are distributed over the nodes (H-054). Changed only by
 * compare-and-set on the version.
 *
 * @param queue the queue
 * @param version rises with every change
 * @param points points by queue node's name; nodes without points are omitted
 */
public record QueueWeights(String queue, long version, Map<String, Integer> points) {
  /** Points of every queue. */
  public static final int TOTAL = 1000;

  public QueueWeights {
    points = Map.copyOf(points);
    int sum = points.values().stream().mapToInt(Integer::intValue).sum();
    if (sum != TOTAL || points.values().stream().anyMatch(share -> share <= 0)) {
      throw new IllegalArgumentException(
          "the points of " + queue + " are positive and sum to 1000, not " + points);
    }
  }

  /** The points of a node; 0 when it has none. */
  public int of(String node) {
    return points.getOrDefault(node, 0);
  }
}
