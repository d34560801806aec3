package io.millrace.manager.pacing;

import io.millrace.api.Pure;
import java.time.Duration;
import java.util.Optional;

/**
 * What a queue manager sees at one tick.
 *
 * <p>There is no time of day in it: a policy needs only how much time has passed, so a recorded
 * state can be resumed on another machine whose monotonic clock has another origin (H-217).
 *
 * @param sinceLastTick monotonic time since this process' previous tick; zero at its first, which
 *     only takes the counters as a baseline
 * @param queue the segment's figures; empty when it could not be read
 * @param workers the figures of this manager's workers; empty when they could not be read
 */
@Pure
public record PacingSnapshot(
    Duration sinceLastTick, Optional<QueueFigures> queue, Optional<WorkerFigures> workers) {
  public PacingSnapshot {
    if (sinceLastTick.isNegative()) {
      throw new IllegalArgumentException("time since the last tick is negative: " + sinceLastTick);
    }
  }

  /** A tick at which everything could be read. */
  public static PacingSnapshot of(
      Duration sinceLastTick, QueueFigures queue, WorkerFigures workers) {
    return new PacingSnapshot(sinceLastTick, Optional.of(queue), Optional.of(workers));
  }
}
