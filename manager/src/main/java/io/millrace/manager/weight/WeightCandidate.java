package io.millrace.manager.weight;

import io.millrace.api.Pure;

/**
 * A node that may get points: it is live and active.
 *
 * @param name its name
 * @param points its points of all queues
 * @param capacity relative to an ordinary node's; more than 0
 * @param load 0 to 1, of its own capacity
 */
@Pure
public record WeightCandidate(String name, int points, double capacity, double load) {
  /** Even a full node can take a point when it is the only live one. */
  private static final double MIN_ROOM = 0.01;

  private static final double MIN_CAPACITY = 0.01;

  public WeightCandidate {
    capacity = Double.isFinite(capacity) ? Math.max(MIN_CAPACITY, capacity) : 1;
    load = Double.isFinite(load) ? Math.min(1, Math.max(0, load)) : 0;
  }

  /** The remaining capacity, in units of an ordinary node's capacity; never 0. */
  double room() {
    return capacity * Math.max(MIN_ROOM, 1 - load);
  }

  /** Points for its capacity. */
  double crowding() {
    return points / capacity;
  }

  /** The same node with additional points. */
  public WeightCandidate plus(int more) {
    return new WeightCandidate(name, points + more, capacity, load);
  }
}
