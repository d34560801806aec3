package io.millrace.queuenode.balancing;

import io.millrace.api.Pure;
import io.millrace.api.queue.NodeState;
import io.millrace.api.weight.BalancingKind;
import io.millrace.queuenode.balancing.BalancingDecision.PlannedMove;
import io.millrace.queuenode.balancing.BalancingSnapshot.ObservedNode;
import io.millrace.queuenode.balancing.DecisionContext.MoveMessages;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

/**
 * The policy based on measured loads: an overloaded node sheds only its excess, from the segment
 * that causes it, to a node with spare capacity; a node that is not needed empties itself. Pure and
 * thread-safe.
 */
@Pure
final class MeasuredLoadPolicy implements BalancingPolicy {
  static final String NAME = "measured";

  private final BalancingSettings settings;

  MeasuredLoadPolicy(BalancingSettings settings) {
    this.settings = settings;
  }

  @Override
  public String name() {
    return NAME;
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
    if (context.self() == null) {
      return context.nothing("the cluster view does not show this node");
    }
    if (context.isAwaiting()) {
      return context.nothing("waiting for the effect of the last decision");
    }
    if (draining) {
      return context.drained();
    }
    return switch (context.self().state()) {
      case TOOBUSY -> shed(context, random);
      case NORMAL -> scaleIn(context);
      case IDLE, BUSY -> context.nothing("neither overloaded nor unneeded");
    };
  }

  private BalancingDecision shed(DecisionContext context, RandomGenerator random) {
    ExpectedCluster expected = context.expected();
    Shedding shedding =
        new Shedding(
            expected,
            context.self().name(),
            settings,
            context.memory().history(),
            context.nowNanos());
    if (!shedding.isNeeded()) {
      return context.nothing("the excess has already moved, or all nodes are equally loaded");
    }
    int ticks = context.memory().ticksOver() + 1;
    if (ticks < settings.pace().ticksOver()) {
      return context.wait(ticks, "over the limit for " + ticks + " ticks");
    }
    if (!shedding.mayMove()) {
      return context.wait(ticks, "its budget of moves is used up for now");
    }
    boolean blind = shedding.isBlind();
    shedding.plan(random);
    if (expected.moves().isEmpty()) {
      return context.shortage(ticks, shedding.shortage());
    }
    return context.moves(BalancingKind.SHED, expected.moves(), blind, ticks, shedding.moved());
  }

  private BalancingDecision scaleIn(DecisionContext context) {
    boolean quiet =
        context.memory().history().quietFor(settings.pace().quiet(), context.nowNanos());
    if (!quiet) {
      return context.nothing("weights changed too recently to scale in");
    }
    ExpectedCluster expected =
        new ScaleIn(context.snapshot(), context::expected, settings).plan(context.self().name());
    if (expected == null || expected.moves().isEmpty()) {
      return context.nothing("no node is to be emptied");
    }
    return context.moves(
        BalancingKind.SCALE_IN, expected.moves(), false, 0, describe(context, expected));
  }

  private String describe(DecisionContext context, ExpectedCluster expected) {
    List<PlannedMove> moves = expected.moves();
    double highest =
        moves.stream()
            .mapToDouble(planned -> expected.utilisation(planned.move().to()))
            .max()
            .orElse(0);
    return String.format(
        Locale.ROOT,
        "emptied %s, the least loaded (%.2f) of %d nodes in use, most of them %s: moved %s; no receiver"
            + " above %.2f, limit %.2f",
        context.self().name(),
        context.self().utilisation(),
        expected.usedNodes(),
        NodeState.NORMAL,
        MoveMessages.of(moves),
        highest,
        settings.limits().scaleInTo());
  }

  /**
   * Finds the node that is not needed (H-069, H-070, H-120, H-121). From the same snapshot all
   * nodes find the same one, without randomness, so that only one empties itself at a time.
   * Confined to one decision.
   */
  @Pure
  private static final class ScaleIn {
    /** Candidates after the first few have larger loads, which are even harder to place. */
    private static final int CANDIDATES = 3;

    private final BalancingSnapshot snapshot;
    private final Supplier<ExpectedCluster> expectations;
    private final BalancingSettings settings;

    /**
     * Creates a search.
     *
     * @param expectations supplies a new expected cluster of the snapshot for each attempt
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
     * Plans to empty the given node, if it is the one that is not needed.
     *
     * @return the cluster with all moves; null if this node has nothing to do
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
      double spare =
          others.stream()
              .mapToDouble(node -> Math.max(0, expected.spareCapacity(node.name(), limit)))
              .sum();
      return spare >= expected.load(candidate.name())
          && new NodeEvacuation(expected, candidate.name(), settings.pace().minWeight())
              .into(List.of(new NodeEvacuation.Group(others, limit, true, false)));
    }
  }
}
