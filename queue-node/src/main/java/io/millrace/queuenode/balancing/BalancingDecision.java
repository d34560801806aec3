package io.millrace.queuenode.balancing;

import io.millrace.api.Pure;
import io.millrace.api.weight.BalancingKind;
import io.millrace.api.weight.MoveRequest.WeightMove;
import java.util.List;

/**
 * What a node should do now.
 *
 * @param kind the reason; null if there is nothing to do
 * @param moves carried out together; empty for a shortage or no action
 * @param reason readable explanation with the figures it is based on
 * @param memory the memory for the next decision if this one is carried out or has no moves
 * @param refused the memory for the next decision if the moves were refused
 */
@Pure
public record BalancingDecision(
    BalancingKind kind,
    List<PlannedMove> moves,
    String reason,
    BalancingMemory memory,
    BalancingMemory refused) {
  public BalancingDecision {
    moves = List.copyOf(moves);
  }

  /**
   * A move with its load.
   *
   * @param move the points
   * @param load expected to leave the giver, in absolute units; 0 while unknown
   */
  @Pure
  public record PlannedMove(WeightMove move, double load) {}
}
