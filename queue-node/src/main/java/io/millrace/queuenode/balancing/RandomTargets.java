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
  private final ExpectedCluster expected;
  private final String self;
  private final RandomGenerator random;

  RandomTargets(ExpectedCluster expected, String self, RandomGenerator random) {
    this.expected = expected;
    this.self = self;
    this.random = random;
  }

  /** A node for a part of a segment, or for all of it; null when there is none. */
  String forShed(ObservedQueue queue, boolean whole) {
    if (expected.mayScaleOut()) {
      String idle = one(node -> !expected.used(node.name()) && ReceiverChoice.open(node));
      if (idle != null) {
        return idle;
      }
    }
    return normal(queue, whole);
  }

  /** A node for all of a segment; null when there is none. */
  String forScaleIn(ObservedQueue queue) {
    return normal(queue, true);
  }

  private String normal(ObservedQueue queue, boolean whole) {
    String holder =
        one(
            node ->
                isNormal(node)
                    && expected.points(queue, node.name()) > 0
                    && (!whole || expected.mayMoveWhole(queue, node.name())));
    return holder != null
        ? holder
        : one(node -> isNormal(node) && expected.points(queue, node.name()) == 0);
  }

  private boolean isNormal(ObservedNode node) {
    return expected.used(node.name()) && node.accepts() && node.state() == NodeState.NORMAL;
  }

  private String one(Predicate<ObservedNode> wanted) {
    List<String> names = new ArrayList<>();
    for (ObservedNode node : expected.nodes()) {
      if (!node.name().equals(self) && wanted.test(node)) {
        names.add(node.name());
      }
    }
    return names.isEmpty() ? null : names.get(random.nextInt(names.size()));
  }
}
