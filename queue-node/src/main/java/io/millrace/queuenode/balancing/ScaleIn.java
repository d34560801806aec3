package io.millrace.queuenode.balancing;

import io.millrace.api.Pure;
import io.millrace.api.queue.NodeState;
import io.millrace.queuenode.balancing.BalancingSnapshot.ObservedNode;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Supplier;

/**
 * Finds the node that is not needed (H-069, H-070, H-120, H-121). All nodes find the same one from
 * the same snapshot, without chance, so that one at a time empties itself. Confined to one
 * decision.
 */
@Pure
final class ScaleIn {
  /** Beyond the first few candidates only larger loads follow, which fit still less. */
  private static final int CANDIDATES = 3;

  private final BalancingSnapshot snapshot;
  private final Supplier<ExpectedCluster> expectations;
  private final BalancingSettings settings;

  /**
   * A search.
   *
   * @param expectations gives the cluster of the snapshot, as often as asked
   */
  ScaleIn(
      BalancingSnapshot snapshot,
      Supplier<ExpectedCluster> expectations,
      BalancingSettings settings) {
    this.snapshot = snapshot;
    this.expectations = expectations;
    this.settings = settings;
  }

  /**
   * Plans to empty a node, if it is the one that is to be emptied.
   *
   * @return the cluster with all its moves; null when there is nothing for this node to do
   */
  ExpectedCluster plan(String self) {
    List<ObservedNode> candidates = isCalm() ? candidates() : List.of();
    if (candidates.stream().noneMatch(candidate -> candidate.name().equals(self))) {
      return null;
    }
    for (ObservedNode candidate : candidates) {
      ExpectedCluster expected = expectations.get();
      if (canBeEmptied(expected, candidate)) {
        return candidate.name().equals(self) ? expected : null;
      }
    }
    return null;
  }

  private boolean isCalm() {
    int normal = 0;
    for (ObservedNode node : snapshot.nodes()) {
      if (snapshot.used().contains(node.name())) {
        if (node.state() == NodeState.TOOBUSY) {
          return false;
        }
        normal += node.state() == NodeState.NORMAL ? 1 : 0;
      }
    }
    return snapshot.used().size() > 1 && 2 * normal > snapshot.used().size();
  }

  private List<ObservedNode> candidates() {
    return normal().stream()
        .sorted(
            Comparator.comparingInt(ObservedNode::capacityClass)
                .thenComparingDouble(ObservedNode::load)
                .thenComparing(ObservedNode::name))
        .limit(CANDIDATES)
        .toList();
  }

  private List<ObservedNode> normal() {
    List<ObservedNode> normal = new ArrayList<>();
    for (ObservedNode node : snapshot.nodes()) {
      if (node.state() == NodeState.NORMAL
          && node.accepts()
          && snapshot.used().contains(node.name())) {
        normal.add(node);
      }
    }
    return normal;
  }

  private boolean canBeEmptied(ExpectedCluster expected, ObservedNode candidate) {
    double limit = settings.limits().scaleInTo();
    List<ObservedNode> others = new ArrayList<>(normal());
    others.remove(candidate);
    double room =
        others.stream().mapToDouble(node -> Math.max(0, expected.room(node.name(), limit))).sum();
    return room >= expected.load(candidate.name())
        && new NodeEvacuation(expected, candidate.name(), settings.pace().minWeight())
            .into(List.of(new NodeEvacuation.Group(others, limit, true, false)));
  }
}
