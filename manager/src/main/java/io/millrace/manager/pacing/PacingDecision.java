package io.millrace.manager.pacing;

import io.millrace.api.Pure;
import io.millrace.manager.pacing.Reason.Seconds;
import java.time.Duration;

/**
 * What a policy decided at one tick.
 *
 * @param workers how many to submit now
 * @param wanted how many the policy wanted before the gates
 * @param gate the last gate that lowered the number
 * @param why with the figures, for an operator
 * @param state to be passed to the next decision and recorded with this one
 */
@Pure
public record PacingDecision(int workers, int wanted, Gate gate, Reason why, PacingState state) {
  public PacingDecision {
    if (workers < 0 || workers > wanted) {
      throw new IllegalArgumentException(
          "a decision is from 0 to the " + wanted + " wanted, not " + workers);
    }
  }

  /**
   * Nothing is submitted while operators have paused consuming, and the backlog of that time
   * teaches the policy nothing.
   *
   * @param why for people
   * @param sinceLastTick monotonic time since the previous tick
   */
  public static PacingDecision paused(String why, PacingState state, Duration sinceLastTick) {
    return new PacingDecision(
        0, 0, Gate.PAUSED, Reason.of(why), state.miss(Seconds.of(sinceLastTick)));
  }

  /** Why, in words. */
  public String reason() {
    return why.text();
  }
}
