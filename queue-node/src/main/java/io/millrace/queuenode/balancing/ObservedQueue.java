package io.millrace.queuenode.balancing;

import io.millrace.api.Pure;
import java.util.Map;

/**
 * A queue as balancing sees it.
 *
 * @param name its name
 * @param version of its weight row
 * @param points by node's name, 1000 together
 * @param minSegments segments at the least while so many nodes accept weight
 * @param loadPerPoint κ: load of the queue over the cluster for each point, in absolute units; NaN
 *     while nothing was measured
 */
@Pure
public record ObservedQueue(
    String name, long version, Map<String, Integer> points, int minSegments, double loadPerPoint) {
  public ObservedQueue {
    points = Map.copyOf(points);
  }
}
