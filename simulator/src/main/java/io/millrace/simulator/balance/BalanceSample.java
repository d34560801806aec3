package io.millrace.simulator.balance;

import io.millrace.api.queue.NodeState;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * The cluster at one minute of the day (H-136).
 *
 * @param elapsed seconds since the day's beginning
 * @param rates events per second that come to each node
 * @param states how many nodes are in each state
 */
public record BalanceSample(double elapsed, List<Double> rates, Map<NodeState, Integer> states) {
  static BalanceSample of(double elapsed, List<SimulatedNode> nodes) {
    Map<NodeState, Integer> states = new EnumMap<>(NodeState.class);
    for (NodeState state : NodeState.values()) {
      states.put(state, 0);
    }
    nodes.forEach(node -> states.merge(node.facts().state(), 1, Integer::sum));
    return new BalanceSample(elapsed, nodes.stream().map(SimulatedNode::arriving).toList(), states);
  }
}
