package io.millrace.manager.pacing;

import io.millrace.api.Pure;

/**
 * Caps that hold whatever a policy wants.
 *
 * @param maxWorkers workers of the queue outstanding in the whole cluster
 * @param maxNotStarted own workers that may wait for a slot at once: the overload prevention of
 *     H-179, whose threshold is not given (H-180)
 * @param maxStartsPerTick workers submitted by one decision
 */
@Pure
public record PacingLimits(int maxWorkers, int maxNotStarted, int maxStartsPerTick) {
  public PacingLimits {
    Positive.check("maxWorkers", maxWorkers);
    Positive.check("maxNotStarted", maxNotStarted);
    Positive.check("maxStartsPerTick", maxStartsPerTick);
  }

  public static PacingLimits defaults() {
    return new PacingLimits(100, 100, 100);
  }

  public PacingLimits withMaxWorkers(int newMaxWorkers) {
    return new PacingLimits(newMaxWorkers, maxNotStarted, maxStartsPerTick);
  }

  public PacingLimits withMaxNotStarted(int newMaxNotStarted) {
    return new PacingLimits(maxWorkers, newMaxNotStarted, maxStartsPerTick);
  }

  public PacingLimits withMaxStartsPerTick(int newMaxStartsPerTick) {
    return new PacingLimits(maxWorkers, maxNotStarted, newMaxStartsPerTick);
  }
}
