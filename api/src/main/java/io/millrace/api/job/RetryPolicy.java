package io.millrace.api.job;

import java.time.Duration;

/**
 * When a failed job is tried again by itself.
 *
 * @param max further tries after the first
 * @param backoff wait before the first retry; doubles with each
 * @param maxBackoff the longest wait
 */
public record RetryPolicy(int max, Duration backoff, Duration maxBackoff) {
  /** No retry. */
  public static final RetryPolicy NONE = new RetryPolicy(0, null, null);

  public RetryPolicy {
    if (max < 0) {
      throw new IllegalArgumentException("retries are not negative: " + max);
    }
    backoff = backoff == null ? Duration.ofSeconds(1) : backoff;
    maxBackoff = maxBackoff == null ? Duration.ofMinutes(5) : maxBackoff;
  }

  /** The wait before the retry that follows so many failed tries. */
  public Duration waitAfter(int failedTries) {
    Duration wait = backoff;
    for (int i = 1; i < failedTries && wait.compareTo(maxBackoff) < 0; i++) {
      wait = wait.multipliedBy(2);
    }
    return wait.compareTo(maxBackoff) < 0 ? wait : maxBackoff;
  }
}
