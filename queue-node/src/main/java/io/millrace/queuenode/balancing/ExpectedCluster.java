package io.millrace.queuenode.balancing;

import io.millrace.api.Pure;
import io.millrace.api.queue.NodeState;
import io.millrace.api.weight.MoveRequest.WeightMove;
import io.millrace.queuenode.balancing.BalancingDecision.PlannedMove;
import io.millrace.queuenode.balancing.BalancingSettings.MovePace;
import io.millrace.queuenode.balancing.BalancingSnapshot.ObservedNode;
import io.millrace.queuenode.balancing.BalancingSnapshot.ObservedQueue;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The cluster as it will be: loads including moves that are not visible yet, and the moves of the
 * current decision. Loads are in absolute units. Confined to one decision.
 */
@Pure
final class ExpectedCluster {
  private final BalancingSnapshot snapshot;
  private final Map<String, ObservedNode> nodes = new LinkedHashMap<>();
  private final Map<String, Double> loads = new HashMap<>();
  private final Map<String, Map<String, Integer>> changedRows = new HashMap<>();
  private final List<PlannedMove> moves = new ArrayList<>();
  private final boolean mayScaleOut;

  ExpectedCluster(BalancingSnapshot snapshot, RowHistory history, MovePace pace, long nowNanos) {
    this.snapshot = snapshot;
    Map<String, Double> invisible = history.invisibleLoads(pace, nowNanos);
    for (ObservedNode node : snapshot.nodes()) {
      nodes.put(node.name(), node);
      loads.put(node.name(), Math.max(0, node.load() + invisible.getOrDefault(node.name(), 0.0)));
    }
    this.mayScaleOut =
        2 * usedNodesThatAre(NodeState.BUSY, NodeState.TOOBUSY) > snapshot.used().size();
  }

  Iterable<ObservedNode> nodes() {
    return nodes.values();
  }

  ObservedNode node(String name) {
    return nodes.get(name);
  }

  /** Whether the node had weight of any queue before this decision. */
  boolean used(String node) {
    return snapshot.used().contains(node);
  }

  int queueCount() {
    return snapshot.queues().size();
  }

  int usedNodes() {
    return snapshot.used().size();
  }

  int usedNodesThatAre(NodeState... states) {
    List<NodeState> matching = List.of(states);
    int count = 0;
    for (ObservedNode node : nodes.values()) {
      count += used(node.name()) && matching.contains(node.state()) ? 1 : 0;
    }
    return count;
  }

  /** Whether most used nodes are BUSY or TOOBUSY, so that idle ones may be used (H-068). */
  boolean mayScaleOut() {
    return mayScaleOut;
  }

  double load(String node) {
    return loads.get(node);
  }

  /** Expected load as a part of the node's capacity. */
  double utilisation(String node) {
    return loads.get(node) / nodes.get(node).capacity();
  }

  /** Load that the node can take until it is filled to a limit. */
  double spareCapacity(String node, double limit) {
    return (limit - utilisation(node)) * nodes.get(node).capacity();
  }

  /** The queues that a node has points of. */
  List<ObservedQueue> queuesOf(String node) {
    List<ObservedQueue> held = new ArrayList<>();
    for (ObservedQueue queue : snapshot.queues()) {
      if (points(queue, node) > 0) {
        held.add(queue);
      }
    }
    return held;
  }

  int points(ObservedQueue queue, String node) {
    return row(queue).getOrDefault(node, 0);
  }

  private Map<String, Integer> row(ObservedQueue queue) {
    return changedRows.getOrDefault(queue.name(), queue.points());
  }

  /** Whether a node can give all its points of a queue to another while enough segments remain. */
  boolean mayMoveWhole(ObservedQueue queue, String to) {
    boolean merges = points(queue, to) > 0;
    return !merges || aliveSegments(queue) - 1 >= queue.minSegments();
  }

  /** Segments on nodes that are known to be alive; one on an unresponsive node may be lost. */
  int aliveSegments(ObservedQueue queue) {
    return (int) row(queue).keySet().stream().filter(nodes::containsKey).count();
  }

  /** Applies a move. */
  void move(ObservedQueue queue, String from, String to, int count, double load) {
    Map<String, Integer> changed = new HashMap<>(row(queue));
    changed.merge(from, -count, Integer::sum);
    changed.merge(to, count, Integer::sum);
    changed.values().removeIf(share -> share == 0);
    changedRows.put(queue.name(), changed);
    loads.merge(from, -load, Double::sum);
    loads.merge(to, load, Double::sum);
    moves.add(
        new PlannedMove(new WeightMove(queue.name(), queue.version(), from, to, count), load));
  }

  List<PlannedMove> moves() {
    return List.copyOf(moves);
  }
}
