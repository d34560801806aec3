package io.millrace.queuenode.balancing;

import io.millrace.api.Pure;

/**
 * Load that one point of a queue brings to its node, κ, in absolute units. A queue that was not
 * measured is taken to have its part, by points, of the load that the measured ones of its node
 * leave unexplained.
 */
@Pure
final class PointLoads {
  private final double unknown;

  PointLoads(Board board, String self) {
    double unexplained = board.load(self);
    int points = 0;
    for (QueueFacts queue : board.queuesOf(self)) {
      int own = board.points(queue, self);
      if (measured(queue)) {
        unexplained -= own * queue.loadPerPoint();
      } else {
        points += own;
      }
    }
    this.unknown = points == 0 ? 0 : Math.max(0, unexplained) / points;
  }

  static boolean measured(QueueFacts queue) {
    return !Double.isNaN(queue.loadPerPoint());
  }

  double of(QueueFacts queue) {
    return measured(queue) ? queue.loadPerPoint() : unknown;
  }
}
