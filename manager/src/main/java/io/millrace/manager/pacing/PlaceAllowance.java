package io.millrace.manager.pacing;

import io.millrace.api.Pure;
import io.millrace.api.queue.NodeState;

/**
 * How many workers may start between two decisions, in places that become free. A decision that was
 * limited by places only ({@code maxWorkers}, {@code maxStarting}) leaves an allowance: the workers
 * that it wanted and that had no place. It is used as workers end, and the next decision replaces
 * it, so that nothing accumulates. Queue managers and the simulator share this rule.
 *
 * @param remaining workers that may still start
 */
@Pure
public record PlaceAllowance(int remaining) {
  /** Nothing may start before the next decision. */
  public static final PlaceAllowance NONE = new PlaceAllowance(0);

  public PlaceAllowance {
    if (remaining < 0) {
      throw new IllegalArgumentException("an allowance cannot be negative: " + remaining);
    }
  }

  /**
   * What a decision leaves. A decision that was limited by anything but places leaves nothing: its
   * limit applies until the next decision.
   *
   * @param gate the last gate that lowered the number
   * @param wanted workers that the policy wanted
   * @param started workers that the decision started
   */
  public static PlaceAllowance after(Gate gate, int wanted, int started) {
    return switch (gate) {
      case MAX_WORKERS, SUBMITTED_NOT_STARTED -> new PlaceAllowance(Math.max(0, wanted - started));
      case NONE,
          NO_FIGURES,
          PAUSED,
          MAX_RATE,
          BREAKER_OPEN,
          MAX_STARTS,
          NODE_BUSY,
          NODE_TOOBUSY,
          COMPLETIONS_FLAT ->
          NONE;
    };
  }

  /**
   * Workers that may start now.
   *
   * @param node the load of the node that holds the segment; a busy one gets no worker before the
   *     next decision
   * @param freePlaces places that {@code maxWorkers} leaves over all segments
   * @param freeStarts workers of this segment that may wait for a slot in addition
   */
  public int startable(NodeState node, int freePlaces, int freeStarts) {
    boolean calm = node == NodeState.IDLE || node == NodeState.NORMAL;
    return calm ? Math.max(0, Math.min(remaining, Math.min(freePlaces, freeStarts))) : 0;
  }

  /** What is left after these started. */
  public PlaceAllowance without(int started) {
    return new PlaceAllowance(remaining - started);
  }
}
