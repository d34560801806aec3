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
  private final Board board;
  private final String self;
  private final BalancingSettings settings;

  Draining(Board board, String self, BalancingSettings settings) {
    this.board = board;
    this.self = self;
    this.settings = settings;
  }

  /** Puts the moves on the board; false when no node accepts weight. */
  boolean plan() {
    double ceiling = settings.limits().ceiling();
    double any = Double.POSITIVE_INFINITY;
    List<NodeFacts> all = accepting(node -> true);
    return new Emptying(board, self, settings.pace().minWeight())
        .into(
            List.of(
                group(accepting(node -> Receivers.open(node) && board.used(node.name())), ceiling),
                group(accepting(node -> Receivers.open(node)), ceiling),
                group(accepting(node -> node.state() != NodeState.TOOBUSY), any),
                group(all, any),
                new Emptying.Group(all, any, false, true)));
  }

  private static Emptying.Group group(List<NodeFacts> nodes, double limit) {
    return new Emptying.Group(nodes, limit, false, false);
  }

  private List<NodeFacts> accepting(Predicate<NodeFacts> wanted) {
    List<NodeFacts> accepting = new ArrayList<>();
    for (NodeFacts node : board.nodes()) {
      if (node.accepts() && !node.name().equals(self) && wanted.test(node)) {
        accepting.add(node);
      }
    }
    return accepting;
  }
}
