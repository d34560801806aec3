package io.millrace.manager.job;

import java.time.Duration;

/**
 * How long a job that is always restarted waits before its next start (H-100). Pure.
 *
 * <p>One second, doubling with every short run up to a minute, so that a program that can't start
 * doesn't spin; a run of more than a minute shows that it works and starts the count anew.
 */
final class Restart {
  static final Duration LONGEST_WAIT = Duration.ofMinutes(1);
  private static final Duration FIRST_WAIT = Duration.ofSeconds(1);
  private static final Duration GOOD_RUN = Duration.ofMinutes(1);

  private Restart() {}

  /** Short runs in a row, the one that ended just now included. */
  static int shortRuns(int before, Duration run) {
    return run.compareTo(GOOD_RUN) > 0 ? 0 : before + 1;
  }

  static Duration waitAfter(int shortRuns) {
    if (shortRuns <= 1) {
      return FIRST_WAIT;
    }
    Duration wait = FIRST_WAIT.multipliedBy(1L << Math.min(shortRuns - 1, 6));
    return wait.compareTo(LONGEST_WAIT) < 0 ? wait : LONGEST_WAIT;
  }
}
