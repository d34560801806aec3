package io.millrace.manager.task;

import io.millrace.api.Pure;
import java.time.Duration;
import java.time.Instant;

/**
 * How many workers a run of known work needs to end in time: formula 2.1 (H-023), endtime =
 * starttime + work / (throughput * workers), solved for the workers. Pure.
 */
@Pure
final class InstanceRule {
  private InstanceRule() {}

  /**
   * The number of concurrent workers.
   *
   * @param chunks left, including those in progress
   * @param chunkSeconds measured time of one worker for one chunk; 0 while unknown
   * @param max maximum number of workers
   * @param now the time
   * @param endBy when the run should have ended; null for none
   * @return 1 to most, and never more than there are chunks; 0 without chunks. The maximum while
   *     nothing was measured, because a late end cannot be made up for
   */
  public static int workers(long chunks, double chunkSeconds, int max, Instant now, Instant endBy) {
    int useful = (int) Math.min(max, Math.max(0, chunks));
    if (useful <= 1 || endBy == null || chunkSeconds <= 0) {
      return useful;
    }
    double left = Duration.between(now, endBy).toMillis() / 1e3;
    // A worker processes entire chunks only: one that starts too late ends too late.
    double each = Math.floor(left / chunkSeconds);
    if (each < 1) {
      return useful;
    }
    return (int) Math.max(1, Math.min(useful, Math.ceil(chunks / each)));
  }
}
