package io.millrace.queuenode.balancing;

import io.millrace.api.queue.NodeState;
import io.millrace.queuenode.balancing.BalancingDecision.PlannedMove;
import io.millrace.queuenode.balancing.BalancingSnapshot.ObservedNode;
import io.millrace.queuenode.balancing.BalancingSnapshot.ObservedQueue;
import io.millrace.queuenode.load.LoadSettings;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

/** A cluster for tests: nodes with loads, queues with points; what was moved can be carried out. */
final class World {
  static final BalancingSettings SETTINGS = BalancingSettings.of(LoadSettings.defaults());
  static final long SECOND = 1_000_000_000L;

  private final List<ObservedNode> nodes = new ArrayList<>();
  private final List<ObservedQueue> queues = new ArrayList<>();

  World node(String name, NodeState state, double utilisation) {
    return node(new ObservedNode(name, state, utilisation, 1, true));
  }

  World node(ObservedNode facts) {
    nodes.removeIf(node -> node.name().equals(facts.name()));
    nodes.add(facts);
    return this;
  }

  /** A queue with a load per point and {@code minSegments} 1. */
  World queue(String name, double loadPerPoint, Map<String, Integer> points) {
    return queue(new ObservedQueue(name, 1, points, 1, loadPerPoint));
  }

  World queue(ObservedQueue facts) {
    queues.removeIf(queue -> queue.name().equals(facts.name()));
    queues.add(facts);
    return this;
  }

  BalancingSnapshot snapshot() {
    return new BalancingSnapshot(nodes, queues);
  }

  List<ObservedNode> nodes() {
    return nodes;
  }

  List<ObservedQueue> queues() {
    return queues;
  }

  ObservedNode node(String name) {
    return nodes.stream().filter(node -> node.name().equals(name)).findFirst().orElseThrow();
  }

  ObservedQueue queue(String name) {
    return queues.stream().filter(queue -> queue.name().equals(name)).findFirst().orElseThrow();
  }

  /** The world with the moves carried out in the rows; the measured loads stay as they are. */
  World with(List<PlannedMove> moves) {
    World after = new World();
    nodes.forEach(after::node);
    Map<String, Map<String, Integer>> rows = new HashMap<>();
    for (PlannedMove planned : moves) {
      Map<String, Integer> row =
          rows.computeIfAbsent(
              planned.move().queue(), queue -> new TreeMap<>(queue(queue).points()));
      row.merge(planned.move().from(), -planned.move().points(), Integer::sum);
      row.merge(planned.move().to(), planned.move().points(), Integer::sum);
    }
    rows.values().forEach(row -> row.values().removeIf(points -> points == 0));
    for (ObservedQueue queue : queues) {
      Map<String, Integer> row = rows.get(queue.name());
      after.queue(
          row == null
              ? queue
              : new ObservedQueue(
                  queue.name(),
                  queue.version() + 1,
                  row,
                  queue.minSegments(),
                  queue.loadPerPoint()));
    }
    return after;
  }

  /** A random cluster whose loads are caused by its queues. */
  static World random(Random random) {
    World world = new World();
    int nodes = 2 + random.nextInt(7);
    int queues = 1 + random.nextInt(6);
    double[] loads = new double[nodes];
    double heat = random.nextDouble() * 1.2;
    for (int queue = 0; queue < queues; queue++) {
      double load = heat * nodes / queues * random.nextDouble();
      Map<String, Integer> points = points(random, nodes);
      points.forEach((node, share) -> loads[index(node)] += load * share / 1000);
      double perPoint = random.nextInt(8) == 0 ? Double.NaN : load / 1000;
      world.queue(
          new ObservedQueue(
              "queue" + queue, 1 + random.nextInt(9), points, 1 + random.nextInt(3), perPoint));
    }
    for (int node = 0; node < nodes; node++) {
      world.node(facts(random, world, "n" + node, loads[node]));
    }
    return world;
  }

  private static int index(String node) {
    return Integer.parseInt(node.substring(1));
  }

  private static Map<String, Integer> points(Random random, int nodes) {
    Map<String, Integer> points = new TreeMap<>();
    int left = 1000;
    while (left > 0) {
      int some = Math.min(left, 1 + random.nextInt(random.nextBoolean() ? 20 : 700));
      points.merge("n" + random.nextInt(nodes), some, Integer::sum);
      left -= some;
    }
    return points;
  }

  private static ObservedNode facts(Random random, World world, String name, double load) {
    double capacity = List.of(0.25, 1.0, 1.0, 1.0, 2.0).get(random.nextInt(5));
    double utilisation = Math.min(1, load / capacity);
    boolean held = world.queues.stream().anyMatch(queue -> queue.points().containsKey(name));
    NodeState state =
        !held
            ? NodeState.IDLE
            : utilisation >= 0.7
                ? NodeState.TOOBUSY
                : utilisation >= 0.5 ? NodeState.BUSY : NodeState.NORMAL;
    return new ObservedNode(name, state, utilisation, capacity, random.nextInt(6) > 0);
  }
}
