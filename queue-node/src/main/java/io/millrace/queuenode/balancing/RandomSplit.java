package io.millrace.queuenode.balancing;

import io.millrace.api.Pure;
import io.millrace.api.queue.NodeState;
import io.millrace.api.weight.BalancingKind;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntUnaryOperator;
import java.util.random.RandomGenerator;

/**
 * The published rule, kept to compare with: at an interval, a TOOBUSY node gives half of the weight
 * of randomly chosen segments away (H-062, H-115..H-117, H-123), and when most used nodes are
 * NORMAL chance decides whether a NORMAL one gives all its weight away (H-069, H-070). It knows no
 * loads. Pure and thread-safe.
 */
@Pure
final class RandomSplit implements BalancingPolicy {
  private final String name;
  private final IntUnaryOperator selection;
  private final BalancingSettings settings;

  /**
   * A form of the rule.
   *
   * @param selection from the number of segments to how many of them are selected
   */
  RandomSplit(String name, IntUnaryOperator selection, BalancingSettings settings) {
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
    Moment moment = Moment.of(self, snapshot, memory, settings, nowNanos);
    if (moment.self() == null || moment.isAwaiting()) {
      return moment.nothing("waits to see itself and what it decided");
    }
    if (draining) {
      return moment.drained();
    }
    NodeState state = moment.self().state();
    if ((state != NodeState.TOOBUSY && state != NodeState.NORMAL) || tooEarly(memory, nowNanos)) {
      return moment.nothing("neither overloaded nor superfluous, or selected lately");
    }
    return select(moment, random);
  }

  private boolean tooEarly(BalancingMemory memory, long nowNanos) {
    Long selected = memory.selectionNanos();
    return selected != null && nowNanos - selected < settings.random().interval().toNanos();
  }

  private BalancingDecision select(Moment before, RandomGenerator random) {
    Moment moment = before.selecting();
    Board board = moment.board();
    RandomTargets targets = new RandomTargets(board, moment.self().name(), random);
    if (moment.self().state() == NodeState.TOOBUSY) {
      for (QueueFacts queue : selected(board, moment.self().name(), random)) {
        split(board, targets, queue, moment.self().name());
      }
      return board.moves().isEmpty()
          ? moment.shortage(0, "no node may take what was selected on " + moment.self().name())
          : moment.moves(
              BalancingKind.SHED,
              board.moves(),
              false,
              0,
              "selected at random on " + moment.self().name() + ": moved " + words(board));
    }
    boolean calm = 2 * board.usedNodesThatAre(NodeState.NORMAL) > board.usedNodes();
    if (!calm || random.nextDouble() >= settings.random().scaleInChance()) {
      return moment.nothing("chance decided against scaling in");
    }
    return emptied(board, targets, moment);
  }

  private static String words(Board board) {
    return MoveMessages.of(board.moves());
  }

  private List<QueueFacts> selected(Board board, String self, RandomGenerator random) {
    List<QueueFacts> held = new ArrayList<>(board.queuesOf(self));
    int count = Math.min(held.size(), selection.applyAsInt(held.size()));
    List<QueueFacts> selected = new ArrayList<>();
    while (selected.size() < count) {
      selected.add(held.remove(random.nextInt(held.size())));
    }
    return selected;
  }

  private void split(Board board, RandomTargets targets, QueueFacts queue, String self) {
    int held = board.points(queue, self);
    boolean whole = held - held / 2 < settings.pace().minWeight() || held < 2;
    String target = targets.forShed(queue, whole);
    if (target != null) {
      board.move(queue, self, target, whole ? held : held / 2, 0);
    }
  }

  private BalancingDecision emptied(Board board, RandomTargets targets, Moment moment) {
    String self = moment.self().name();
    for (QueueFacts queue : board.queuesOf(self)) {
      String target = targets.forScaleIn(queue);
      if (target == null) {
        return moment.nothing("not every segment finds a place, so none moves");
      }
      board.move(queue, self, target, board.points(queue, self), 0);
    }
    return moment.moves(
        BalancingKind.SCALE_IN,
        board.moves(),
        false,
        0,
        "chance decided to empty " + self + ": moved " + words(board));
  }
}
