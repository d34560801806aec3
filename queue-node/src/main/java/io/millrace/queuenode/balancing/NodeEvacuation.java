package io.millrace.queuenode.balancing;

import io.millrace.api.Pure;
import io.millrace.api.queue.NodeState;
import io.millrace.queuenode.balancing.BalancingSnapshot.ObservedNode;
import io.millrace.queuenode.balancing.BalancingSnapshot.ObservedQueue;
import io.millrace.queuenode.balancing.Shedding.PointLoads;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Moves all weight of a node to others. Confined to one decision.
 *
 * <p>The heaviest segments move first, as a whole if they fit and in parts otherwise. If a queue is
 * at its minimum of segments, its points move to a node that holds none of it (H-070, H-124).
 */
@Pure
final class NodeEvacuation {
  private final ExpectedCluster expected;
  private final String self;
  private final int minWeight;
  private final PointLoads loads;

  NodeEvacuation(ExpectedCluster expected, String self, int minWeight) {
    this.expected = expected;
    this.self = self;
    this.minWeight = minWeight;
    this.loads = new PointLoads(expected, self);
  }

  /**
   * Moves everything to nodes of the given groups, none filled beyond its group's limit.
   *
   * @param groups tried in order for each segment
   * @return whether everything could be placed; otherwise the expected cluster must be discarded
   */
  boolean into(List<Group> groups) {
    List<ObservedQueue> heaviestFirst =
        expected.queuesOf(self).stream()
            .sorted(
                Comparator.comparingDouble((ObservedQueue queue) -> -carried(queue))
                    .thenComparing(ObservedQueue::name))
            .toList();
    for (ObservedQueue queue : heaviestFirst) {
      while (expected.points(queue, self) > 0) {
        if (!moveSome(queue, groups)) {
          return false;
        }
      }
    }
    return true;
  }

  private double carried(ObservedQueue queue) {
    return expected.points(queue, self) * loads.of(queue);
  }

  private boolean moveSome(ObservedQueue queue, List<Group> groups) {
    for (Group group : groups) {
      Optional<String> whole = receiver(queue, group, carried(queue));
      if (whole.isPresent()) {
        move(queue, whole.get(), expected.points(queue, self));
        return true;
      }
      Optional<String> part = receiver(queue, group, 2 * minWeight * loads.of(queue));
      if (part.isPresent() && expected.points(queue, self) >= 2 * minWeight) {
        move(queue, part.get(), part(queue, part.get(), group.limit()));
        return true;
      }
    }
    return false;
  }

  private int part(ObservedQueue queue, String to, double limit) {
    int held = expected.points(queue, self);
    int fits = (int) Math.floor(expected.spareCapacity(to, limit) / loads.of(queue));
    return Math.max(minWeight, Math.min(fits, held - minWeight));
  }

  private void move(ObservedQueue queue, String to, int points) {
    expected.move(queue, self, to, points, points * loads.of(queue));
  }

  private Optional<String> receiver(ObservedQueue queue, Group group, double load) {
    return group.nodes().stream()
        .filter(node -> group.merges() || expected.mayMoveWhole(queue, node.name()))
        .filter(node -> expected.spareCapacity(node.name(), group.limit()) >= load)
        .max(
            Comparator.comparingInt(
                    (ObservedNode node) -> group.capable() ? node.capacityClass() : 0)
                .thenComparing(node -> expected.points(queue, node.name()) > 0)
                .thenComparingDouble(node -> expected.spareCapacity(node.name(), 1))
                .thenComparing(ObservedNode::name))
        .map(ObservedNode::name);
  }

  /**
   * Nodes of equal preference; of them, one that holds the queue is chosen first, then the one with
   * the most spare capacity.
   *
   * @param nodes the nodes
   * @param limit maximum load of each node, 0 to 1
   * @param capable whether the most capable node takes precedence
   * @param merges whether a queue may fall below its minimum of segments
   */
  record Group(List<ObservedNode> nodes, double limit, boolean capable, boolean merges) {}

  /**
   * Moves all weight of a node away at once because operators drain it: first to nodes with spare
   * capacity, then to any that accept weight, because the operators' request takes precedence over
   * an even load. Used by every policy. Confined to one decision.
   */
  @Pure
  static final class Draining {
    private final ExpectedCluster expected;
    private final String self;
    private final BalancingSettings settings;

    Draining(ExpectedCluster expected, String self, BalancingSettings settings) {
      this.expected = expected;
      this.self = self;
      this.settings = settings;
    }

    /** Adds the moves; false if no node accepts weight. */
    boolean plan() {
      double ceiling = settings.limits().ceiling();
      double any = Double.POSITIVE_INFINITY;
      List<ObservedNode> all = accepting(node -> true);
      return new NodeEvacuation(expected, self, settings.pace().minWeight())
          .into(
              List.of(
                  group(
                      accepting(node -> ReceiverChoice.open(node) && expected.used(node.name())),
                      ceiling),
                  group(accepting(node -> ReceiverChoice.open(node)), ceiling),
                  group(accepting(node -> node.state() != NodeState.TOOBUSY), any),
                  group(all, any),
                  new NodeEvacuation.Group(all, any, false, true)));
    }

    private static NodeEvacuation.Group group(List<ObservedNode> nodes, double limit) {
      return new NodeEvacuation.Group(nodes, limit, false, false);
    }

    private List<ObservedNode> accepting(Predicate<ObservedNode> condition) {
      List<ObservedNode> accepting = new ArrayList<>();
      for (ObservedNode node : expected.nodes()) {
        if (node.accepts() && !node.name().equals(self) && condition.test(node)) {
          accepting.add(node);
        }
      }
      return accepting;
    }
  }
}
