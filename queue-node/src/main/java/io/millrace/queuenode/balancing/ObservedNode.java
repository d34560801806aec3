package io.millrace.queuenode.balancing;

import io.millrace.api.Pure;
import io.millrace.api.queue.NodeState;

/**
 * A queue node as balancing sees it.
 *
 * @param name its name
 * @param state as it says of itself
 * @param utilisation its load, 0 to 1
 * @param capacity relative capability; utilisation times capacity is load in absolute units
 * @param accepts whether weight may move to it: fresh in the view, registered, neither draining nor
 *     in maintenance
 */
@Pure
public record ObservedNode(
    String name, NodeState state, double utilisation, double capacity, boolean accepts) {
  /** Load in units of an ordinary node's capacity. */
  public double load() {
    return utilisation * capacity;
  }

  /** Nodes of one class are about equally capable: measured capacities differ a little for ever. */
  int capacityClass() {
    return (int) Math.round(2 * Math.log(capacity) / Math.log(2));
  }
}
