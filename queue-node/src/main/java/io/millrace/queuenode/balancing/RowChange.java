package io.millrace.queuenode.balancing;

import io.millrace.api.Pure;
import java.util.HashMap;
import java.util.Map;

/**
 * A change of a weight row, as this node saw it.
 *
 * @param queue whose row
 * @param points gained and lost, by node's name
 * @param loadPerPoint at that time, in absolute units; 0 while it was unknown
 * @param atNanos when it was seen, monotonic
 */
@Pure
record RowChange(String queue, Map<String, Integer> points, double loadPerPoint, long atNanos) {
  /** What changed between two versions of a row. */
  static RowChange between(ObservedQueue before, ObservedQueue after, long nowNanos) {
    Map<String, Integer> changed = new HashMap<>();
    after.points().forEach((node, points) -> changed.merge(node, points, Integer::sum));
    before.points().forEach((node, points) -> changed.merge(node, -points, Integer::sum));
    changed.values().removeIf(points -> points == 0);
    double perPoint = Double.isNaN(after.loadPerPoint()) ? 0 : after.loadPerPoint();
    return new RowChange(after.name(), Map.copyOf(changed), perPoint, nowNanos);
  }

  boolean gained(String node) {
    return points.getOrDefault(node, 0) > 0;
  }

  boolean lost(String node) {
    return points.getOrDefault(node, 0) < 0;
  }
}
