package io.millrace.queuenode.balancing;

import io.millrace.api.Pure;
import io.millrace.api.queue.NodeState;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/**
 * Gives all weight of a node away at once because operators want it empty: to nodes with room
 * first, then to whatever accepts weight, because their word counts more than an even load. Used by
 * every policy. Confined to one decision.
 */
@Pure
final class Draining {
  private final ExpectedCluster expected;
  private final String self;
  private final BalancingSettings settings;

  Draining(ExpectedCluster expected, String self, BalancingSettings settings) {
    this.expected = expected;
    this.self = self;
    this.settings = settings;
  }

  /** Adds the moves; false when no node accepts weight. */
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

  private List<ObservedNode> accepting(Predicate<ObservedNode> wanted) {
    List<ObservedNode> accepting = new ArrayList<>();
    for (ObservedNode node : expected.nodes()) {
      if (node.accepts() && !node.name().equals(self) && wanted.test(node)) {
        accepting.add(node);
      }
    }
    return accepting;
  }
}
