package io.millrace.queuenode.balancing;

import io.millrace.api.Pure;
import io.millrace.queuenode.balancing.BalancingSnapshot.ObservedQueue;

/**
 * Load that one point of a queue brings to its node, κ, in absolute units. A queue that was not
 * measured is taken to have its part, by points, of the load that the measured ones of its node
 * leave unexplained.
 */
@Pure
final class PointLoads {
  private final double unknown;

  PointLoads(ExpectedCluster expected, String self) {
    double unexplained = expected.load(self);
    int points = 0;
    for (ObservedQueue queue : expected.queuesOf(self)) {
      int own = expected.points(queue, self);
      if (measured(queue)) {
        unexplained -= own * queue.loadPerPoint();
      } else {
        points += own;
      }
    }
    this.unknown = points == 0 ? 0 : Math.max(0, unexplained) / points;
  }

  static boolean measured(ObservedQueue queue) {
    return !Double.isNaN(queue.loadPerPoint());
  }

  double of(ObservedQueue queue) {
    return measured(queue) ? queue.loadPerPoint() : unknown;
  }
}
