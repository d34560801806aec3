package io.millrace.queuenode.balancing;

import io.millrace.api.Pure;
import io.millrace.api.weight.BalancingKind;
import io.millrace.queuenode.balancing.BalancingDecision.PlannedMove;
import io.millrace.queuenode.balancing.BalancingSnapshot.ObservedNode;
import io.millrace.queuenode.balancing.NodeEvacuation.Draining;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The context of one decision, and the forms of its outcome.
 *
 * @param self the deciding node; null when the snapshot lacks it
 * @param memory after reading the rows
 */
@Pure
record DecisionContext(
    ObservedNode self,
    BalancingSnapshot snapshot,
    BalancingMemory memory,
    BalancingSettings settings,
    long nowNanos) {

  static DecisionContext of(
      String self,
      BalancingSnapshot snapshot,
      BalancingMemory memory,
      BalancingSettings settings,
      long nowNanos) {
    return new DecisionContext(
        snapshot.node(self),
        snapshot,
        memory.withSnapshot(snapshot, settings.pace(), nowNanos),
        settings,
        nowNanos);
  }

  /** The same with a selection made now. */
  DecisionContext selecting() {
    return new DecisionContext(self, snapshot, memory.selected(nowNanos), settings, nowNanos);
  }

  boolean isAwaiting() {
    return !memory.awaited().isEmpty();
  }

  /** The cluster as it will be once all moves have taken effect. */
  ExpectedCluster expected() {
    return new ExpectedCluster(snapshot, memory.history(), settings.pace(), nowNanos);
  }

  BalancingDecision nothing(String reason) {
    return none(memory.ticks(0).withShortage(null), reason);
  }

  /** No action yet, but it counts the ticks. */
  BalancingDecision wait(int ticksOver, String reason) {
    return none(memory.ticks(ticksOver), reason);
  }

  private static BalancingDecision none(BalancingMemory next, String reason) {
    return new BalancingDecision(null, List.of(), reason, next, next);
  }

  /** Moves; if refused, they are decided again at the next tick. */
  BalancingDecision moves(
      BalancingKind kind, List<PlannedMove> moves, boolean blind, int ticksOver, String reason) {
    return new BalancingDecision(
        kind,
        moves,
        reason,
        memory.awaiting(moves, blind, nowNanos),
        memory.ticks(ticksOver).withShortage(null));
  }

  /** A shortage: recorded from time to time, remembered while it continues. */
  BalancingDecision shortage(int ticksOver, String reason) {
    BalancingMemory lasting = memory.ticks(ticksOver).withShortage(reason);
    Long recorded = memory.shortageRecordedNanos();
    if (recorded != null && nowNanos - recorded < settings.pace().shortageAgain().toNanos()) {
      return none(lasting, reason);
    }
    BalancingMemory next = lasting.withShortageRecorded(nowNanos);
    return new BalancingDecision(BalancingKind.SHORTAGE, List.of(), reason, next, next);
  }

  /** All weight is moved because operators drain the node. */
  BalancingDecision drained() {
    ExpectedCluster expected = expected();
    if (expected.queuesOf(self.name()).isEmpty()) {
      return nothing("drained");
    }
    if (!new Draining(expected, self.name(), settings).plan()) {
      return shortage(0, self.name() + " is to be drained, and no node accepts its weight");
    }
    return moves(
        BalancingKind.DRAIN,
        expected.moves(),
        false,
        0,
        self.name()
            + " is being drained by an operator: moved "
            + MoveMessages.of(expected.moves()));
  }

  /** Describes moves in a readable form. */
  @Pure
  static final class MoveMessages {
    private static final int NAMED = 6;

    private MoveMessages() {}

    /** The moves of one giver: "180 points of alert to q1, 20 of mail to q2 and 7 more". */
    static String of(List<PlannedMove> moves) {
      String named =
          moves.stream()
              .limit(NAMED)
              .map(
                  planned ->
                      planned.move().points()
                          + " points of "
                          + planned.move().queue()
                          + " to "
                          + planned.move().to())
              .collect(Collectors.joining(", "));
      int more = moves.size() - NAMED;
      return more > 0 ? named + " and " + more + " more" : named;
    }
  }
}
