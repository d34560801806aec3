package io.millrace.manager.job;

import io.millrace.api.job.RetryPolicy;
import io.millrace.manager.job.ReadyJobDao.Planned;
import java.time.Duration;
import java.time.Instant;

/** How long jobs wait before their next attempt. Pure. */
public final class RetryBackoff {
  private RetryBackoff() {}

  /**
   * The earliest start of a job; null for at once. Before its first attempt that is the time it was
   * given (G-08), afterwards the end of the wait before its next try. Of such a wait no more can be
   * left than the whole, whatever the database's clock showed when it began.
   */
  public static Instant notBefore(JobFacts job, Instant now) {
    Duration wait = waitAfter(job.restarts(), job.retry(), job.failedTries(), job.shortRuns());
    return notBefore(job.notBefore(), job.attempt(), now.plus(wait));
  }

  /** The earliest start of a job that is not due. */
  static Instant notBefore(Planned job, Instant now) {
    Duration wait = waitAfter(job.restarts(), job.retry(), job.failedTries(), job.shortRuns());
    return notBefore(job.notBefore(), job.attempt(), now.plus(wait));
  }

  private static Instant notBefore(Instant recorded, int attempt, Instant latest) {
    return recorded == null || attempt == 0 || !recorded.isAfter(latest) ? recorded : latest;
  }

  /** What {@link RetryRule} decided when the last attempt had ended, if the job has to wait. */
  private static Duration waitAfter(
      boolean restarts, RetryPolicy retry, int failedTries, int shortRuns) {
    return restarts ? Restart.waitAfter(shortRuns) : retry.waitAfter(failedTries);
  }

  /**
   * How long a job that is always restarted waits before its next start (H-100). Pure.
   *
   * <p>One second, doubling with every short run up to a minute, so that a program that cannot
   * start does not spin; a run of more than a minute resets the count.
   */
  static final class Restart {
    static final Duration LONGEST_WAIT = Duration.ofMinutes(1);

    private static final Duration FIRST_WAIT = Duration.ofSeconds(1);
    private static final Duration GOOD_RUN = Duration.ofMinutes(1);

    private Restart() {}

    /** Short runs in a row, including the one that just ended. */
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
}
