package io.millrace.executor.run;

import java.time.Duration;

/**
 * What is kept of ended attempts.
 *
 * @param successfulWorkers the last so many workers that succeeded or had nothing to do
 * @param others the last so many other attempts
 * @param age other attempts that ended longer ago go as well
 */
public record LogRetentionSettings(int successfulWorkers, int others, Duration age) {
  /** 1,000 successful workers, and 7 days of others, at most 10,000. */
  public static LogRetentionSettings defaults() {
    return new LogRetentionSettings(1_000, 10_000, Duration.ofDays(7));
  }
}
