package io.millrace.queuenode.balancing;

import io.millrace.api.Pure;
import io.millrace.api.queue.NodeState;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;

/**
 * Targets of the published rule (H-063, H-124): when scaling out an idle node; else a NORMAL node
 * that has the queue; else, or when the minimum of segments would be broken, a NORMAL one that
 * lacks it. Confined to one decision.
 */
@Pure
final class RandomTargets {
  private final Board board;
  private final String self;
  private final RandomGenerator random;

  RandomTargets(Board board, String self, RandomGenerator random) {
    this.board = board;
    this.self = self;
    this.random = random;
  }

  /** A node for a part of a segment, or for all of it; null when there is none. */
  String forShed(QueueFacts queue, boolean whole) {
    if (board.mayScaleOut()) {
      String idle = one(node -> !board.used(node.name()) && Receivers.open(node));
      if (idle != null) {
        return idle;
      }
    }
    return normal(queue, whole);
  }

  /** A node for all of a segment; null when there is none. */
  String forScaleIn(QueueFacts queue) {
    return normal(queue, true);
  }

  private String normal(QueueFacts queue, boolean whole) {
    String holder =
        one(
            node ->
                isNormal(node)
                    && board.points(queue, node.name()) > 0
                    && (!whole || board.mayMoveWhole(queue, node.name())));
    return holder != null
        ? holder
        : one(node -> isNormal(node) && board.points(queue, node.name()) == 0);
  }

  private boolean isNormal(NodeFacts node) {
    return board.used(node.name()) && node.accepts() && node.state() == NodeState.NORMAL;
  }

  private String one(Predicate<NodeFacts> wanted) {
    List<String> names = new ArrayList<>();
    for (NodeFacts node : board.nodes()) {
      if (!node.name().equals(self) && wanted.test(node)) {
        names.add(node.name());
      }
    }
    return names.isEmpty() ? null : names.get(random.nextInt(names.size()));
  }
}
