package io.millrace.simulator.balance;

import io.millrace.api.queue.NodeState;
import io.millrace.api.queue.QueueNodeReport.NodeLoad;
import io.millrace.queuenode.balancing.BalancingMemory;
import io.millrace.queuenode.balancing.BalancingSnapshot.ObservedNode;
import io.millrace.queuenode.load.NodeLoadRule;
import io.millrace.queuenode.load.NodeLoadRule.LoadSample;
import java.util.random.RandomGenerator;

/**
 * A queue node: events above its capacity wait and keep its store busy until they are stored. Its
 * state comes from the production rule. Not thread-safe.
 */
final class SimulatedNode {
  private final String name;
  private final NodeLoadRule rule;
  private final SimulationSettings settings;
  private final double[] rates;
  private NodeLoad load = NodeLoadRule.unmeasured();
  private BalancingMemory memory = BalancingMemory.EMPTY;
  private double backlog;
  private double arriving;
  private double loadPerRate;
  private double reserved;

  SimulatedNode(String name, int queues, NodeLoadRule rule, SimulationSettings settings) {
    this.name = name;
    this.rule = rule;
    this.settings = settings;
    this.rates = new double[queues];
  }

  /** Takes the arrivals of a tick and measures the load. */
  void tick(int self, Traffic traffic, WeightTable table, RandomGenerator random) {
    double kept = Math.pow(1 - settings.states().newShare(), settings.tickSeconds());
    boolean holds = false;
    double sum = 0;
    double smoothed = 0;
    for (int queue = 0; queue < rates.length; queue++) {
      int points = table.points(queue, self);
      holds |= points > 0;
      double rate = points == 0 ? 0 : traffic.rate(queue) * points / 1000;
      sum += rate;
      rates[queue] = kept * rates[queue] + (1 - kept) * rate;
      smoothed += rates[queue];
    }
    arriving = sum;
    reserved = 0;
    double possible = settings.nodeCapacity() * settings.tickSeconds();
    double offered = backlog + sum * settings.tickSeconds();
    backlog = Math.max(0, offered - possible);
    double busy = Math.min(1, offered / possible);
    double measured = busy * (1 + settings.signalNoise() * random.nextGaussian());
    load = rule.next(load, new LoadSample(0, measured), holds || backlog > 0);
    loadPerRate = smoothed == 0 ? 0 : load.load() / smoothed;
  }

  /** Whether it accepts a move; accepted load counts for this tick. */
  boolean reserve(double more, double limit) {
    boolean granted =
        facts().state().compareTo(NodeState.BUSY) < 0 && load.load() + reserved + more <= limit;
    reserved += granted ? more : 0;
    return granted;
  }

  ObservedNode facts() {
    return new ObservedNode(name, load.state(), load.load(), 1, true);
  }

  /** Share of a queue in the measured load. */
  double loadOf(int queue) {
    return rates[queue] * loadPerRate;
  }

  /** The queue with the most events now; −1 for none. */
  int heaviest(Traffic traffic, WeightTable table, int self) {
    int heaviest = -1;
    double max = 0;
    for (int queue = 0; queue < rates.length; queue++) {
      double rate = traffic.rate(queue) * table.points(queue, self);
      if (rate > max) {
        max = rate;
        heaviest = queue;
      }
    }
    return heaviest;
  }

  String name() {
    return name;
  }

  double arriving() {
    return arriving;
  }

  double backlog() {
    return backlog;
  }

  BalancingMemory memory() {
    return memory;
  }

  void remember(BalancingMemory next) {
    memory = next;
  }
}
