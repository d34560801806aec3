package io.millrace.queuenode.balancing;

import io.millrace.api.Pure;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The cluster at one moment, as one node knows it.
 *
 * @param nodes fresh ones, by name
 * @param queues every queue with a weight row, by name
 * @param used names of the fresh nodes that have weight of any queue
 * @param versions sum of the rows' versions, by which a snapshot without news is known at a glance
 */
@Pure
public record BalancingSnapshot(
    List<ObservedNode> nodes, List<ObservedQueue> queues, Set<String> used, long versions) {
  public BalancingSnapshot {
    nodes = List.copyOf(nodes);
    queues = List.copyOf(queues);
    used = Set.copyOf(used);
  }

  /** A snapshot that finds out itself what follows from nodes and rows. */
  public BalancingSnapshot(List<ObservedNode> nodes, List<ObservedQueue> queues) {
    this(nodes, queues, used(nodes, queues), versions(queues));
  }

  /** The fresh node of that name; null if there is none. */
  ObservedNode node(String name) {
    for (ObservedNode node : nodes) {
      if (node.name().equals(name)) {
        return node;
      }
    }
    return null;
  }

  private static Set<String> used(List<ObservedNode> nodes, List<ObservedQueue> queues) {
    Set<String> weighted = new HashSet<>();
    for (ObservedQueue queue : queues) {
      weighted.addAll(queue.points().keySet());
    }
    Set<String> used = new HashSet<>();
    for (ObservedNode node : nodes) {
      if (weighted.contains(node.name())) {
        used.add(node.name());
      }
    }
    return used;
  }

  private static long versions(List<ObservedQueue> queues) {
    long sum = queues.size();
    for (ObservedQueue queue : queues) {
      sum += queue.version();
    }
    return sum;
  }
}
