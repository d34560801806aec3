package io.millrace.cli.bench;

import io.millrace.api.insight.Overview;
import io.millrace.api.insight.QueueView;
import io.millrace.api.queue.NodeState;
import io.millrace.api.queue.QueueNodeView;
import java.util.Map;
import java.util.TreeMap;

/**
 * The cluster at one second of the benchmark.
 *
 * @param seconds since its begin
 * @param rate events asked for per second
 * @param states by node
 * @param loads by node
 * @param weights by queue and node
 */
record BalanceSample(
    double seconds,
    int rate,
    Map<String, NodeState> states,
    Map<String, Double> loads,
    Map<String, Map<String, Integer>> weights) {
  static BalanceSample of(double seconds, int rate, Overview overview) {
    Map<String, NodeState> states = new TreeMap<>();
    Map<String, Double> loads = new TreeMap<>();
    for (QueueNodeView node : overview.queueNodes()) {
      states.put(node.name(), node.load().state());
      loads.put(node.name(), node.load().load());
    }
    Map<String, Map<String, Integer>> weights = new TreeMap<>();
    for (QueueView queue : overview.queues()) {
      weights.put(queue.name(), new TreeMap<>(queue.weights()));
    }
    return new BalanceSample(seconds, rate, states, loads, weights);
  }

  boolean anyTooBusy() {
    return states.containsValue(NodeState.TOOBUSY);
  }

  /** Nodes that hold weight of any queue. */
  long used() {
    return weights.values().stream().flatMap(row -> row.keySet().stream()).distinct().count();
  }
}
