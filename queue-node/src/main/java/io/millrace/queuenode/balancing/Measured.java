package io.millrace.queuenode.balancing;

import io.millrace.api.Pure;
import io.millrace.api.queue.NodeState;
import io.millrace.api.weight.BalancingKind;
import java.util.List;
import java.util.Locale;
import java.util.random.RandomGenerator;

/**
 * The rule that goes by measured loads (DESIGN §5): an overloaded node sheds just its excess, from
 * the segment that causes it, to a node with room; a node that is not needed empties itself. Pure
 * and thread-safe.
 */
@Pure
final class Measured implements BalancingPolicy {
  static final String NAME = "measured";

  private final BalancingSettings settings;

  Measured(BalancingSettings settings) {
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
    Moment moment = Moment.of(self, snapshot, memory, settings, nowNanos);
    if (moment.self() == null) {
      return moment.nothing("the cluster view does not show this node");
    }
    if (moment.isAwaiting()) {
      return moment.nothing("waits to see what was decided");
    }
    if (draining) {
      return moment.drained();
    }
    return switch (moment.self().state()) {
      case TOOBUSY -> shed(moment, random);
      case NORMAL -> scaleIn(moment);
      case IDLE, BUSY -> moment.nothing("neither overloaded nor superfluous");
    };
  }

  private BalancingDecision shed(Moment moment, RandomGenerator random) {
    Board board = moment.board();
    Shedding shedding =
        new Shedding(
            board, moment.self().name(), settings, moment.memory().history(), moment.nowNanos());
    if (!shedding.isNeeded()) {
      return moment.nothing("what is too much has moved, or all are loaded alike");
    }
    int ticks = moment.memory().ticksOver() + 1;
    if (ticks < settings.pace().ticksOver()) {
      return moment.wait(ticks, "over the limit for " + ticks + " ticks");
    }
    if (!shedding.mayMove()) {
      return moment.wait(ticks, "has moved as much as it may for now");
    }
    boolean blind = shedding.isBlind();
    shedding.plan(random);
    if (board.moves().isEmpty()) {
      return moment.shortage(ticks, shedding.shortage());
    }
    return moment.moves(BalancingKind.SHED, board.moves(), blind, ticks, shedding.moved());
  }

  private BalancingDecision scaleIn(Moment moment) {
    boolean quiet = moment.memory().history().quietFor(settings.pace().quiet(), moment.nowNanos());
    if (!quiet) {
      return moment.nothing("weights changed too lately to scale in");
    }
    Board board =
        new ScaleIn(moment.snapshot(), moment::board, settings).plan(moment.self().name());
    if (board == null || board.moves().isEmpty()) {
      return moment.nothing("all is well");
    }
    return moment.moves(BalancingKind.SCALE_IN, board.moves(), false, 0, words(moment, board));
  }

  private String words(Moment moment, Board board) {
    List<PlannedMove> moves = board.moves();
    double highest =
        moves.stream()
            .mapToDouble(planned -> board.utilisation(planned.move().to()))
            .max()
            .orElse(0);
    return String.format(
        Locale.ROOT,
        "emptied %s, at %.2f the least of %d used nodes, most of them %s: moved %s; no receiver"
            + " beyond %.2f, limit %.2f",
        moment.self().name(),
        moment.self().utilisation(),
        board.usedNodes(),
        NodeState.NORMAL,
        MoveMessages.of(moves),
        highest,
        settings.limits().scaleInTo());
  }
}
