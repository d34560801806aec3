package io.millrace.queuenode.balancing;

import java.util.List;

/**
 * The cluster at one moment, as one node knows it.
 *
 * @param nodes fresh ones, by name
 * @param queues every queue with a weight row, by name
 */
public record BalancingSnapshot(List<NodeFacts> nodes, List<QueueFacts> queues) {
  public BalancingSnapshot {
    nodes = List.copyOf(nodes);
    queues = List.copyOf(queues);
  }
}
