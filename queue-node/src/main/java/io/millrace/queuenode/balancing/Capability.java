package io.millrace.queuenode.balancing;

import io.millrace.api.Pure;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The measured speed of nodes: a node on which an event of the same queue causes more load is
 * slower. Only equal queues are compared, so a node with expensive queues does not appear slow. A
 * speed is relative to the node's configured capacity and to the median node; it is 1 while
 * unknown. Immutable.
 *
 * <p>Model: ln cost(node, queue) = ln cost(queue) − ln speed(node), solved by weighted least
 * squares over all nodes and queues at once, because two nodes need not hold the same queues.
 */
@Pure
public final class Capability {
  /** Nothing measured. */
  public static final Capability UNKNOWN = new Capability(Map.of());

  private static final double MIN_UTILISATION = 0.05;
  private static final double MIN_EVENTS = 0.1;
  private static final double GREATEST = 16;
  private static final double SMOOTHING_SECONDS = 60;

  private final Map<String, Double> logSpeeds;

  private Capability(Map<String, Double> logSpeeds) {
    this.logSpeeds = Map.copyOf(logSpeeds);
  }

  /** The speed of a node: 1/16 to 16, 1 for the median node and for one that was never measured. */
  public double speed(String node) {
    return Math.exp(logSpeeds.getOrDefault(node, 0.0));
  }

  /**
   * The capability after one more measurement.
   *
   * @param nodes every fresh node
   * @param seconds since the measurement before; a new speed takes effect within some minutes
   */
  public Capability next(List<NodeWork> nodes, double seconds) {
    SpeedEquations equations = new SpeedEquations();
    for (NodeWork node : nodes) {
      if (node.utilisation() > MIN_UTILISATION) {
        node.queues().forEach((queue, work) -> measure(equations, node, queue, work));
      }
    }
    double taken = 1 - Math.exp(-seconds / SMOOTHING_SECONDS);
    Map<String, Double> next = new HashMap<>();
    for (NodeWork node : nodes) {
      Double before = logSpeeds.get(node.name());
      if (before != null) {
        next.put(node.name(), before);
      }
    }
    Map<String, Double> measured = equations.solve(next);
    double middle = median(measured);
    measured.forEach(
        (node, log) -> {
          double before = next.getOrDefault(node, 0.0);
          next.put(node, bounded(before + taken * (bounded(log - middle) - before)));
        });
    return new Capability(next);
  }

  private static void measure(
      SpeedEquations equations, NodeWork node, String queue, NodeWork.QueueWork work) {
    double load = node.utilisation() * work.share();
    if (work.events() >= MIN_EVENTS && load > 0) {
      double cost = load / work.events() * node.configured();
      equations.add(node.name(), queue, Math.log(cost), load);
    }
  }

  private static double median(Map<String, Double> values) {
    if (values.isEmpty()) {
      return 0;
    }
    List<Double> sorted = new ArrayList<>(values.values());
    sorted.sort(null);
    int size = sorted.size();
    return (sorted.get((size - 1) / 2) + sorted.get(size / 2)) / 2;
  }

  private static double bounded(double log) {
    double max = Math.log(GREATEST);
    return Math.min(max, Math.max(-max, log));
  }

  /**
   * A node's recent work, for comparison.
   *
   * @param name its name
   * @param configured capacity by its configuration, 1 for an ordinary node
   * @param utilisation its load, 0 to 1
   * @param queues what each of its segments did, by queue
   */
  @Pure
  public record NodeWork(
      String name, double configured, double utilisation, Map<String, QueueWork> queues) {
    public NodeWork {
      queues = Map.copyOf(queues);
    }

    /**
     * A segment's recent work.
     *
     * @param events stored and leased per second
     * @param share its part of the node's load, 0 to 1
     */
    public record QueueWork(double events, double share) {}
  }

  /**
   * The least-squares problem behind {@link Capability}, in logarithms. Confined to one solution.
   */
  @Pure
  private static final class SpeedEquations {
    private static final int ROUNDS = 60;

    /** Draws nodes that share no queue with the rest towards the median. */
    private static final double RIDGE = 1e-4;

    private final List<Equation> equations = new ArrayList<>();

    private record Equation(String node, String queue, double cost, double weight) {}

    void add(String node, String queue, double logCost, double weight) {
      equations.add(new Equation(node, queue, logCost, weight));
    }

    /**
     * The speeds of the nodes that share a queue with another, up to a common addend.
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
}
