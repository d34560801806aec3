package io.millrace.queuenode.balancing;

import io.millrace.api.Pure;
import io.millrace.api.queue.NodeState;
import io.millrace.queuenode.balancing.BalancingSettings.MovePace;
import io.millrace.queuenode.balancing.BalancingSnapshot.ObservedNode;
import io.millrace.queuenode.balancing.BalancingSnapshot.ObservedQueue;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;

/**
 * Chooses the node that receives shed load: the better of two random ones of the first non-empty
 * class. Nodes that can take all of it come before those that can take a part; within these, a node
 * that holds the queue, then a used one, then, if most used nodes are BUSY or TOOBUSY, an unused
 * one (H-063, H-068). Two random nodes rather than the best of all, so that several givers do not
 * all choose the same.
 */
@Pure
final class ReceiverChoice {
  private static final int CLASSES = 6;

  private final ExpectedCluster expected;
  private final String self;
  private final double limit;
  private final double restLimit;
  private final MovePace pace;
  private final RowHistory history;
  private final long nowNanos;

  ReceiverChoice(
      ExpectedCluster expected,
      String self,
      double limit,
      BalancingSettings settings,
      RowHistory history,
      long nowNanos) {
    this.expected = expected;
    this.self = self;
    this.limit = limit;
    this.restLimit = Math.min(limit, settings.limits().shedTo());
    this.pace = settings.pace();
    this.history = history;
    this.nowNanos = nowNanos;
  }

  /** Whether a node may receive weight. */
  static boolean open(ObservedNode node) {
    return node.accepts() && (node.state() == NodeState.IDLE || node.state() == NodeState.NORMAL);
  }

  /**
   * Chooses a receiver.
   *
   * @param load load to move
   * @param minLoad the least load that it must be able to take
   * @return null if there is none
   */
  Choice choose(ObservedQueue queue, double load, double minLoad, RandomGenerator random) {
    List<List<String>> classes = new ArrayList<>();
    for (int i = 0; i < CLASSES; i++) {
      classes.add(new ArrayList<>());
    }
    for (ObservedNode node : expected.nodes()) {
      double spare = spareCapacity(node.name());
      if (eligible(queue, node) && spare >= minLoad) {
        classes.get(rank(queue, node.name(), spare >= load)).add(node.name());
      }
    }
    return classes.stream()
        .filter(names -> !names.isEmpty())
        .findFirst()
        .map(names -> better(names, random))
        .orElse(null);
  }

  /**
   * Load that a node may take; less for one that has just shed load, which could soon be overloaded
   * again.
   */
  double spareCapacity(String node) {
    boolean rests = history.lost(node, pace.rest(), nowNanos) > 0;
    return expected.spareCapacity(node, rests ? restLimit : limit);
  }

  private boolean eligible(ObservedQueue queue, ObservedNode node) {
    return !node.name().equals(self)
        && open(node)
        && (expected.used(node.name()) || expected.mayScaleOut())
        && !history.banned(queue.name(), self, node.name(), pace.reverseBan(), nowNanos);
  }

  private int rank(ObservedQueue queue, String node, boolean takesAll) {
    int rank = expected.points(queue, node) > 0 ? 0 : expected.used(node) ? 1 : 2;
    return takesAll ? rank : rank + CLASSES / 2;
  }

  private Choice better(List<String> names, RandomGenerator random) {
    int first = random.nextInt(names.size());
    if (names.size() == 1) {
      return new Choice(names.get(first), null);
    }
    int second = (first + 1 + random.nextInt(names.size() - 1)) % names.size();
    String one = names.get(first);
    String other = names.get(second);
    return spareCapacity(one) >= spareCapacity(other)
        ? new Choice(one, other)
        : new Choice(other, one);
  }

  /**
   * A receiver and the node that was compared with it.
   *
   * @param node the receiver
   * @param other null if it was the only one
   */
  record Choice(String node, String other) {}
}
