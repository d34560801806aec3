package io.millrace.queuenode.balancing;

import io.millrace.api.Pure;
import java.time.Duration;
import java.util.List;

/**
 * Moves that were decided and whose rows were not seen changed yet. Until they are, the node
 * decides nothing: it would decide on rows that are no longer true.
 *
 * @param moves the moves
 * @param sinceNanos when they were decided, monotonic
 * @param blind whether the load that moves was not measured, so that only time shows what they did
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

  /** What is still awaited after a look at the rows. */
  AwaitedMoves unseen(List<ObservedQueue> queues, long nowNanos, Duration patience) {
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
    boolean tooLong = nowNanos - sinceNanos > patience.toNanos();
    return unseen && !tooLong ? this : NOTHING;
  }
}
