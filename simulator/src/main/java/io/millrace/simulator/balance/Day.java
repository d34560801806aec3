package io.millrace.simulator.balance;

import io.millrace.api.weight.BalancingKind;
import io.millrace.queuenode.balancing.BalancingDecision;
import io.millrace.queuenode.balancing.BalancingDecision.PlannedMove;
import io.millrace.queuenode.balancing.BalancingPolicy;
import io.millrace.queuenode.balancing.BalancingSettings.LoadLimits;
import io.millrace.queuenode.balancing.BalancingSnapshot;
import io.millrace.queuenode.balancing.BalancingSnapshot.ObservedNode;
import io.millrace.queuenode.balancing.BalancingSnapshot.ObservedQueue;
import io.millrace.queuenode.load.NodeLoadRule;
import io.millrace.simulator.balance.DayPlan.QueueProfile;
import io.millrace.simulator.balance.DayResult.DaySample;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;

/**
 * One day of traffic under one policy, 24 hours on a virtual clock. Equal seeds give equal traffic
 * and an equal initial state to every policy. Not thread-safe.
 */
public final class Day {
  private static final int SECONDS = 24 * 3600;

  private final SimulationSettings settings;
  private final BalancingPolicy policy;
  private final LoadLimits limits;
  private final double begin;
  private final List<QueueProfile> profiles;
  private final List<SimulatedNode> nodes = new ArrayList<>();
  private final WeightTable table;
  private final Traffic traffic;
  private final RandomGenerator noise;
  private final RandomGenerator choices;
  private final DayRecord record;

  /**
   * A day that has not started.
   *
   * @param seed the number of the day, from 1
   */
  public Day(DayPlan plan, BalancingPolicy policy, SimulationSettings settings, long seed) {
    RandomGenerator world = Seeds.stream(seed, "world");
    this.settings = settings;
    this.policy = policy;
    this.begin = plan.begin();
    this.limits = LoadLimits.of(settings.states());
    this.profiles = plan.queues(seed, world);
    this.traffic = new Traffic(profiles, settings.rateNoise(), Seeds.stream(seed, "traffic"));
    this.noise = Seeds.stream(seed, "noise");
    this.choices = Seeds.stream(seed, "choices");
    NodeLoadRule rule = new NodeLoadRule(settings.statesPerTick());
    List<String> names =
        IntStream.rangeClosed(1, plan.nodes()).mapToObj(number -> "n" + number).toList();
    names.forEach(name -> nodes.add(new SimulatedNode(name, profiles.size(), rule, settings)));
    this.table = new WeightTable(profiles.stream().map(QueueProfile::name).toList(), names);
    this.record = new DayRecord(settings, names.size());
    begin(names, world);
  }

  /** Initially, the queues are on the fewest nodes that stay NORMAL, half on each of two. */
  private void begin(List<String> names, RandomGenerator world) {
    double rate = profiles.stream().mapToDouble(queue -> queue.rate(begin)).sum();
    int used = (int) Math.ceil(rate / (settings.nodeCapacity() * limits.scaleInTo())) + 1;
    int last = Math.min(names.size(), Math.max(2, used));
    for (int queue = 0; queue < profiles.size(); queue++) {
      int one = world.nextInt(last);
      int other = (one + 1 + world.nextInt(last - 1)) % last;
      table.set(queue, Map.of(names.get(one), 500, names.get(other), 500));
    }
  }

  /** Simulates the day. */
  public DayResult run() {
    double seconds = settings.tickSeconds();
    BalancingSnapshot known = null;
    for (double elapsed = 0; elapsed < SECONDS; elapsed += seconds) {
      traffic.advance(begin + elapsed, seconds);
      for (int i = 0; i < nodes.size(); i++) {
        nodes.get(i).tick(i, traffic, table, noise);
      }
      record.tick(nodes, elapsed);
      // Decisions use reports of the previous tick; rows may have changed since.
      if (known != null) {
        decide(known, elapsed);
      }
      known = snapshot();
    }
    return record.result();
  }

  /** The day by minutes; empty before it was simulated. */
  public List<DaySample> samples() {
    return record.samples();
  }

  private BalancingSnapshot snapshot() {
    List<ObservedNode> facts = nodes.stream().map(SimulatedNode::facts).toList();
    List<ObservedQueue> queues = new ArrayList<>();
    for (int queue = 0; queue < profiles.size(); queue++) {
      Map<String, Integer> row = table.row(queue);
      double load = 0;
      for (SimulatedNode node : nodes) {
        load += node.loadOf(queue);
      }
      queues.add(
          new ObservedQueue(profiles.get(queue).name(), table.version(queue), row, 2, load / 1000));
    }
    return new BalancingSnapshot(facts, queues);
  }

  private void decide(BalancingSnapshot known, double elapsed) {
    long now = Math.round(elapsed * 1e9);
    for (SimulatedNode node : nodes) {
      BalancingDecision decision =
          policy.decide(node.name(), false, known, node.memory(), now, choices);
      if (decision.moves().isEmpty()) {
        node.remember(decision.memory());
        if (decision.kind() == BalancingKind.SHORTAGE) {
          record.shortage();
        }
      } else {
        carryOut(node, decision, elapsed);
      }
    }
  }

  private void carryOut(SimulatedNode node, BalancingDecision decision, double elapsed) {
    int self = table.nodeIndex(node.name());
    int cause = node.heaviest(traffic, table, self);
    if (reserved(decision.moves()) && table.commit(decision.moves())) {
      node.remember(decision.memory());
      record.moved(decision, self, profiles.get(cause).name(), elapsed);
    } else {
      node.remember(decision.refused());
      record.refused();
    }
  }

  private boolean reserved(List<PlannedMove> moves) {
    Map<String, Double> loads = new HashMap<>();
    moves.forEach(planned -> loads.merge(planned.move().to(), planned.load(), Double::sum));
    return loads.entrySet().stream()
        .allMatch(
            receiver ->
                nodes
                    .get(table.nodeIndex(receiver.getKey()))
                    .reserve(receiver.getValue(), limits.ceiling()));
  }

  /** Independent random streams from one seed. */
  private static final class Seeds {
    private Seeds() {}

    /** The stream of a purpose; the same for equal seeds. */
    static RandomGenerator stream(long seed, String purpose) {
      return new SplittableRandom(31 * seed + purpose.hashCode());
    }
  }
}
