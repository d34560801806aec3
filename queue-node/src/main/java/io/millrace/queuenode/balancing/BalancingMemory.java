package io.millrace.queuenode.balancing;

import io.millrace.api.Pure;
import io.millrace.queuenode.balancing.BalancingDecision.PlannedMove;
import io.millrace.queuenode.balancing.BalancingSettings.MovePace;
import io.millrace.queuenode.balancing.BalancingSnapshot.ObservedQueue;
import java.time.Duration;
import java.util.List;

/**
 * A node's memory between decisions. Immutable; lost with the process, which at most makes a
 * decision a little early or late.
 *
 * @param history of the weight rows
 * @param ticksOver decisions in a row that saw too much load
 * @param awaited the decision whose moves do not appear in the rows yet
 * @param shortage why the node would shed load and can't; null when it need not or can
 * @param shortageRecordedNanos when a shortage was last recorded; null for never
 * @param selectionNanos when a published policy last selected; null for never
 */
@Pure
public record BalancingMemory(
    RowHistory history,
    int ticksOver,
    AwaitedMoves awaited,
    String shortage,
    Long shortageRecordedNanos,
    Long selectionNanos) {
  /** Before the first decision. */
  public static final BalancingMemory EMPTY =
      new BalancingMemory(RowHistory.NONE, 0, AwaitedMoves.NOTHING, null, null, null);

  /**
   * The memory after reading the rows; moves that appear there are no longer awaited.
   *
   * @param nowNanos monotonic
   */
  BalancingMemory withSnapshot(BalancingSnapshot snapshot, MovePace pace, long nowNanos) {
    return new BalancingMemory(
        history.after(snapshot, nowNanos, pace.memory()),
        ticksOver,
        awaited.stillAwaited(snapshot.queues(), nowNanos, pace.confirmationTimeout()),
        shortage,
        shortageRecordedNanos,
        selectionNanos);
  }

  BalancingMemory ticks(int over) {
    return new BalancingMemory(
        history, over, awaited, shortage, shortageRecordedNanos, selectionNanos);
  }

  BalancingMemory awaiting(List<PlannedMove> moves, boolean blind, long nowNanos) {
    return new BalancingMemory(
        history,
        0,
        new AwaitedMoves(moves, nowNanos, blind),
        null,
        shortageRecordedNanos,
        selectionNanos);
  }

  BalancingMemory selected(long nowNanos) {
    return new BalancingMemory(
        history, ticksOver, awaited, shortage, shortageRecordedNanos, (Long) nowNanos);
  }

  BalancingMemory withShortage(String why) {
    return new BalancingMemory(
        history, ticksOver, awaited, why, shortageRecordedNanos, selectionNanos);
  }

  BalancingMemory withShortageRecorded(long nowNanos) {
    return new BalancingMemory(
        history, ticksOver, awaited, shortage, (Long) nowNanos, selectionNanos);
  }

  /**
   * Moves that were decided and do not appear in the rows yet. Until they do, the node decides
   * nothing, because the rows are outdated.
   *
   * @param moves the moves
   * @param sinceNanos when they were decided, monotonic
   * @param blind whether the moved load was not measured, so that its effect shows only with time
   */
  @Pure
  record AwaitedMoves(List<PlannedMove> moves, long sinceNanos, boolean blind) {
    static final AwaitedMoves NOTHING = new AwaitedMoves(List.of(), 0, false);

    AwaitedMoves {
      moves = List.copyOf(moves);
    }

    boolean isEmpty() {
      return moves.isEmpty();
    }

    /** What is still awaited after reading the rows. */
    AwaitedMoves stillAwaited(List<ObservedQueue> queues, long nowNanos, Duration timeout) {
      if (moves.isEmpty()) {
        return this;
      }
      boolean unseen =
          blind
              || moves.stream()
                  .anyMatch(
                      planned ->
                          queues.stream()
                              .anyMatch(
                                  queue ->
                                      queue.name().equals(planned.move().queue())
                                          && queue.version() <= planned.move().version()));
      boolean tooLong = nowNanos - sinceNanos > timeout.toNanos();
      return unseen && !tooLong ? this : NOTHING;
    }
  }
}
