package io.millrace.tests.golden;

import io.millrace.api.queue.NodeState;
import io.millrace.api.weight.MoveRequest.WeightMove;
import io.millrace.queuenode.balancing.BalancingDecision;
import io.millrace.queuenode.balancing.BalancingMemory;
import io.millrace.queuenode.balancing.BalancingPolicy;
import io.millrace.queuenode.balancing.BalancingPolicy.BalancingPolicies;
import io.millrace.queuenode.balancing.BalancingSettings;
import io.millrace.queuenode.balancing.BalancingSnapshot;
import io.millrace.queuenode.balancing.BalancingSnapshot.ObservedNode;
import io.millrace.queuenode.balancing.BalancingSnapshot.ObservedQueue;
import io.millrace.queuenode.load.LoadSettings;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

/** Every balancing policy on several clusters, in ticks of two seconds, with fixed seeds. */
final class BalancingTable {
  private static final BalancingSettings SETTINGS = BalancingSettings.of(LoadSettings.defaults());
  private static final long TICK = 2_000_000_000L;
  private static final int TICKS = 4;

  /** A cluster as seen by one of its nodes. */
  private record View(
      String title, String self, boolean draining, long from, BalancingSnapshot snapshot) {}

  String text() {
    StringBuilder text = new StringBuilder();
    for (View view : views()) {
      text.append("### ").append(view.title()).append('\n');
      view.snapshot().nodes().forEach(node -> text.append("  ").append(plain(node)).append('\n'));
      for (ObservedQueue queue : view.snapshot().queues()) {
        text.append(
            "  %s v%d %s, at least %d segments, load per point %.6f%n"
                .formatted(
                    queue.name(),
                    queue.version(),
                    new TreeMap<>(queue.points()),
                    queue.minSegments(),
                    queue.loadPerPoint()));
      }
      for (BalancingPolicy policy : BalancingPolicies.all(SETTINGS)) {
        decide(view, policy, text);
      }
      text.append('\n');
    }
    return text.toString();
  }

  private static void decide(View view, BalancingPolicy policy, StringBuilder text) {
    Random random = new Random(11);
    BalancingMemory memory = BalancingMemory.EMPTY;
    for (int tick = 0; tick < TICKS; tick++) {
      long now = tick == 0 ? 0 : view.from() + tick * TICK;
      BalancingDecision decision =
          policy.decide(view.self(), view.draining(), view.snapshot(), memory, now, random);
      memory = decision.memory();
      text.append(
          String.format(
              Locale.ROOT,
              "%s, tick %d: %s %s%n",
              policy.name(),
              tick,
              decision.kind(),
              decision.reason()));
      decision
          .moves()
          .forEach(
              planned ->
                  text.append(
                      String.format(
                          Locale.ROOT,
                          "    %s load %.4f%n",
                          move(planned.move()),
                          planned.load())));
    }
  }

  // Slots are only those of queues of sessions, of which there are none here.
  private static String move(WeightMove move) {
    return "[queue=%s, version=%d, from=%s, to=%s, points=%d]"
        .formatted(move.queue(), move.version(), move.from(), move.to(), move.points());
  }

  // Without class names, which may change.
  private static String plain(Record value) {
    return value.toString().replaceFirst("^[A-Za-z]+", "");
  }

  private static List<View> views() {
    List<ObservedQueue> two =
        List.of(
            queue("alert", 0.0006, Map.of("n1", 800, "n2", 200)),
            queue("feed", 0.0004, Map.of("n1", 700, "n3", 300)));
    return List.of(
        view("one node too busy", "n1", 0, nodes(0.85, 0.2, 0.3, 1), two),
        view("its receivers are busy", "n1", 0, nodes(0.9, 0.6, 0.65, 1), two),
        view("every node too busy", "n1", 0, nodes(0.9, 0.8, 0.85, 1), two),
        view("a receiver twice as large", "n1", 0, nodes(0.9, 0.3, 0.3, 2), two),
        view("a quiet cluster scales in", "n3", 300_000_000_000L, nodes(0.1, 0.1, 0.02, 1), two),
        new View(
            "a node that operators drain",
            "n2",
            true,
            0,
            new BalancingSnapshot(nodes(0.3, 0.3, 0.3, 1), two)),
        view(
            "loads that are not known",
            "n1",
            0,
            nodes(0.9, 0.2, 0.2, 1),
            List.of(queue("alert", Double.NaN, Map.of("n1", 1000)))));
  }

  private static View view(
      String title, String self, long from, List<ObservedNode> nodes, List<ObservedQueue> queues) {
    return new View(title, self, false, from, new BalancingSnapshot(nodes, queues));
  }

  private static ObservedQueue queue(String name, double perPoint, Map<String, Integer> points) {
    return new ObservedQueue(name, 1, points, 1, perPoint);
  }

  private static List<ObservedNode> nodes(
      double first, double second, double third, double capacity) {
    return List.of(
        node("n1", first, 1), node("n2", second, 1), node("n3", third, capacity), idle("n4"));
  }

  private static ObservedNode node(String name, double load, double capacity) {
    NodeState state =
        load >= 0.7 ? NodeState.TOOBUSY : load >= 0.5 ? NodeState.BUSY : NodeState.NORMAL;
    return new ObservedNode(name, state, load, capacity, true);
  }

  private static ObservedNode idle(String name) {
    return new ObservedNode(name, NodeState.IDLE, 0.01, 1, true);
  }
}
