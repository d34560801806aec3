package io.millrace.queuenode.balancing;

import io.millrace.api.Pure;
import io.millrace.api.queue.NodeState;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The cluster at one point in time, as known to one node.
 *
 * @param nodes fresh ones, by name
 * @param queues every queue with a weight row, by name
 * @param used names of the fresh nodes that have weight of any queue
 * @param versions sum of the rows' versions, which shows quickly whether anything has changed
 */
@Pure
public record BalancingSnapshot(
    List<ObservedNode> nodes, List<ObservedQueue> queues, Set<String> used, long versions) {
  public BalancingSnapshot {
    nodes = List.copyOf(nodes);
    queues = List.copyOf(queues);
    used = Set.copyOf(used);
  }

  /** A snapshot that derives the rest from nodes and rows. */
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

  /**
   * A queue node as seen by balancing.
   *
   * @param name its name
   * @param state as reported
   * @param utilisation its load, 0 to 1
   * @param capacity relative capability; utilisation times capacity is load in absolute units
   * @param accepts whether weight may move to it: fresh in the view, registered, neither draining
   *     nor in maintenance
   */
  @Pure
  public record ObservedNode(
      String name, NodeState state, double utilisation, double capacity, boolean accepts) {
    /** Load in units of a standard node's capacity. */
    public double load() {
      return utilisation * capacity;
    }

    /** Nodes of one class are about equally capable: measured capacities always differ a little. */
    int capacityClass() {
      return (int) Math.round(2 * Math.log(capacity) / Math.log(2));
    }
  }

  /**
   * A queue as seen by balancing.
   *
   * @param name its name
   * @param version of its weight row
   * @param points by node's name, 1000 together
   * @param minSegments the fewest segments while that many nodes accept weight
   * @param loadPerPoint κ: load of the queue over the cluster for each point, in absolute units;
   *     NaN while nothing was measured
   */
  @Pure
  public record ObservedQueue(
      String name,
      long version,
      Map<String, Integer> points,
      int minSegments,
      double loadPerPoint) {
    public ObservedQueue {
      points = Map.copyOf(points);
    }
  }
}
