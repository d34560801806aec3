package io.millrace.queuenode.balancing;

import io.millrace.api.Pure;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The least-squares problem behind {@link Capability}, in logarithms. Confined to one solution. */
@Pure
final class SpeedEquations {
  private static final int ROUNDS = 60;

  /** Pulls towards the middle what no shared queue ties to the rest. */
  private static final double RIDGE = 1e-4;

  private final List<Equation> equations = new ArrayList<>();

  private record Equation(String node, String queue, double cost, double weight) {}

  void add(String node, String queue, double logCost, double weight) {
    equations.add(new Equation(node, queue, logCost, weight));
  }

  /**
   * The speeds of the nodes that share a queue with another, up to a common summand.
   *
   * @param start where the search begins
   */
  Map<String, Double> solve(Map<String, Double> start) {
    Set<String> shared = sharedQueues();
    List<Equation> used = equations.stream().filter(one -> shared.contains(one.queue())).toList();
    Map<String, Double> speeds = new HashMap<>();
    used.forEach(one -> speeds.put(one.node(), start.getOrDefault(one.node(), 0.0)));
    for (int round = 0; round < ROUNDS; round++) {
      Map<String, Double> costs = costs(used, speeds);
      Map<String, Mean> means = new HashMap<>();
      for (Equation one : used) {
        means
            .computeIfAbsent(one.node(), node -> new Mean(RIDGE))
            .add(costs.get(one.queue()) - one.cost(), one.weight());
      }
      means.forEach((node, mean) -> speeds.put(node, mean.value()));
    }
    return speeds;
  }

  private Set<String> sharedQueues() {
    Map<String, Set<String>> holders = new HashMap<>();
    for (Equation one : equations) {
      holders.computeIfAbsent(one.queue(), queue -> new HashSet<>()).add(one.node());
    }
    holders.values().removeIf(nodes -> nodes.size() < 2);
    return holders.keySet();
  }

  private static Map<String, Double> costs(List<Equation> used, Map<String, Double> speeds) {
    Map<String, Mean> means = new HashMap<>();
    for (Equation one : used) {
      means
          .computeIfAbsent(one.queue(), queue -> new Mean(0))
          .add(one.cost() + speeds.get(one.node()), one.weight());
    }
    Map<String, Double> costs = new HashMap<>();
    means.forEach((queue, mean) -> costs.put(queue, mean.value()));
    return costs;
  }

  /** A weighted mean that a prior weight draws to 0. */
  private static final class Mean {
    private double sum;
    private double weight;

    Mean(double prior) {
      this.weight = prior;
    }

    void add(double value, double more) {
      sum += value * more;
      weight += more;
    }

    double value() {
      return sum / weight;
    }
  }
}
