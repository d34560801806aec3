package io.millrace.queuenode.balancing;

import io.millrace.api.Pure;
import io.millrace.api.queue.NodeState;
import io.millrace.api.weight.BalancingKind;
import io.millrace.queuenode.balancing.BalancingSnapshot.ObservedNode;
import io.millrace.queuenode.balancing.BalancingSnapshot.ObservedQueue;
import io.millrace.queuenode.balancing.DecisionContext.MoveMessages;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntUnaryOperator;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;

/**
 * The published rule, kept for comparison: at an interval, a TOOBUSY node moves half of the weight
 * of randomly chosen segments away (H-062, H-115..H-117, H-123), and if most used nodes are NORMAL,
 * a NORMAL one moves all its weight away with a given probability (H-069, H-070). It does not
 * consider loads. Pure and thread-safe.
 */
@Pure
final class RandomSplitPolicy implements BalancingPolicy {
  private final String name;
  private final IntUnaryOperator selection;
  private final BalancingSettings settings;

  /**
   * Creates a variant of the rule.
   *
   * @param selection maps the number of segments to the number selected
   */
  RandomSplitPolicy(String name, IntUnaryOperator selection, BalancingSettings settings) {
    this.name = name;
    this.selection = selection;
    this.settings = settings;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public BalancingDecision decide(
      String self,
      boolean draining,
      BalancingSnapshot snapshot,
      BalancingMemory memory,
      long nowNanos,
      RandomGenerator random) {
    DecisionContext context = DecisionContext.of(self, snapshot, memory, settings, nowNanos);
    if (context.self() == null || context.isAwaiting()) {
      return context.nothing(
          "waiting to appear in the cluster view, or for the effect of the last decision");
    }
    if (draining) {
      return context.drained();
    }
    NodeState state = context.self().state();
    if ((state != NodeState.TOOBUSY && state != NodeState.NORMAL) || tooEarly(memory, nowNanos)) {
      return context.nothing("neither overloaded nor unneeded, or selected recently");
    }
    return select(context, random);
  }

  private boolean tooEarly(BalancingMemory memory, long nowNanos) {
    Long selected = memory.selectionNanos();
    return selected != null && nowNanos - selected < settings.random().interval().toNanos();
  }

  private BalancingDecision select(DecisionContext before, RandomGenerator random) {
    DecisionContext context = before.selecting();
    ExpectedCluster expected = context.expected();
    RandomTargets targets = new RandomTargets(expected, context.self().name(), random);
    if (context.self().state() == NodeState.TOOBUSY) {
      for (ObservedQueue queue : selected(expected, context.self().name(), random)) {
        split(expected, targets, queue, context.self().name());
      }
      return expected.moves().isEmpty()
          ? context.shortage(0, "no node accepts the segments selected on " + context.self().name())
          : context.moves(
              BalancingKind.SHED,
              expected.moves(),
              false,
              0,
              "selected at random on " + context.self().name() + ": moved " + describe(expected));
    }
    boolean calm = 2 * expected.usedNodesThatAre(NodeState.NORMAL) > expected.usedNodes();
    if (!calm || random.nextDouble() >= settings.random().scaleInChance()) {
      return context.nothing("not selected at random for scale-in");
    }
    return emptied(expected, targets, context);
  }

  private static String describe(ExpectedCluster expected) {
    return MoveMessages.of(expected.moves());
  }

  private List<ObservedQueue> selected(
      ExpectedCluster expected, String self, RandomGenerator random) {
    List<ObservedQueue> held = new ArrayList<>(expected.queuesOf(self));
    int count = Math.min(held.size(), selection.applyAsInt(held.size()));
    List<ObservedQueue> selected = new ArrayList<>();
    while (selected.size() < count) {
      selected.add(held.remove(random.nextInt(held.size())));
    }
    return selected;
  }

  private void split(
      ExpectedCluster expected, RandomTargets targets, ObservedQueue queue, String self) {
    int held = expected.points(queue, self);
    boolean whole = held - held / 2 < settings.pace().minWeight() || held < 2;
    String target = targets.forShed(queue, whole);
    if (target != null) {
      expected.move(queue, self, target, whole ? held : held / 2, 0);
    }
  }

  private BalancingDecision emptied(
      ExpectedCluster expected, RandomTargets targets, DecisionContext context) {
    String self = context.self().name();
    for (ObservedQueue queue : expected.queuesOf(self)) {
      String target = targets.forScaleIn(queue);
      if (target == null) {
        return context.nothing("not every segment can be placed, so none moves");
      }
      expected.move(queue, self, target, expected.points(queue, self), 0);
    }
    return context.moves(
        BalancingKind.SCALE_IN,
        expected.moves(),
        false,
        0,
        "selected at random for scale-in, emptied " + self + ": moved " + describe(expected));
  }

  /**
   * Targets of the published rule (H-063, H-124): when scaling out, an idle node; otherwise a
   * NORMAL node that has the queue; otherwise, or if the minimum of segments would be violated, a
   * NORMAL one without it. Confined to one decision.
   */
  @Pure
  private static final class RandomTargets {
    private final ExpectedCluster expected;
    private final String self;
    private final RandomGenerator random;

    RandomTargets(ExpectedCluster expected, String self, RandomGenerator random) {
      this.expected = expected;
      this.self = self;
      this.random = random;
    }

    /** A node for a part of a segment, or for all of it; null if there is none. */
    String forShed(ObservedQueue queue, boolean whole) {
      if (expected.mayScaleOut()) {
        String idle = one(node -> !expected.used(node.name()) && ReceiverChoice.open(node));
        if (idle != null) {
          return idle;
        }
      }
      return normal(queue, whole);
    }

    /** A node for all of a segment; null if there is none. */
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

    private String one(Predicate<ObservedNode> condition) {
      List<String> names = new ArrayList<>();
      for (ObservedNode node : expected.nodes()) {
        if (!node.name().equals(self) && condition.test(node)) {
          names.add(node.name());
        }
      }
      return names.isEmpty() ? null : names.get(random.nextInt(names.size()));
    }
  }
}
