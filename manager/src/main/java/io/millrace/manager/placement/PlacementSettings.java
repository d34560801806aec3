package io.millrace.manager.placement;

import io.millrace.api.Pure;
import java.time.Duration;

/**
 * How placement weighs age and width.
 *
 * @param ageing time that a job waits for one step of priority
 * @param mostSteps most steps that waiting adds
 * @param reserveAfter time after which room is kept for a job that fits a node's size but not its
 *     free part
 * @param mostJobs most jobs placed at one time, so that no lock is held for long
 */
@Pure
public record PlacementSettings(
    Duration ageing, int mostSteps, Duration reserveAfter, int mostJobs) {
  public PlacementSettings {
    if (ageing.isZero() || ageing.isNegative() || reserveAfter.isNegative()) {
      throw new IllegalArgumentException("ageing is more than 0, reserveAfter not negative");
    }
    if (mostSteps < 0 || mostJobs < 1) {
      throw new IllegalArgumentException("mostSteps is not negative, mostJobs at least 1");
    }
  }

  /** A step every ten minutes up to ten; room is kept after half a minute. */
  public static PlacementSettings defaults() {
    return new PlacementSettings(Duration.ofMinutes(10), 10, Duration.ofSeconds(30), 1000);
  }
}
