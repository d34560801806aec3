package io.millrace.manager.job;

import io.millrace.api.job.RetryPolicy;
import io.millrace.manager.job.ReadyJobDao.Planned;
import io.millrace.manager.job.RetryAction.Restart;
import java.time.Duration;
import java.time.Instant;

/**
 * Until when a job waits that has a time to wait for: before its first attempt one of its own
 * (G-08), afterwards the end of the pause before its next try. Of such a pause no more can be left
 * than all of it, whatever the database's clock showed when it began. Pure.
 */
public final class Pauses {
  private Pauses() {}

  /** The time that the job waits for; null for none. */
  public static Instant notBefore(JobFacts job, Instant now) {
    Duration pause = pause(job.restarts(), job.retry(), job.failedTries(), job.shortRuns());
    return notBefore(job.notBefore(), job.attempt(), now.plus(pause));
  }

  /** The same for a job that is not due. */
  static Instant notBefore(Planned job, Instant now) {
    Duration pause = pause(job.restarts(), job.retry(), job.failedTries(), job.shortRuns());
    return notBefore(job.notBefore(), job.attempt(), now.plus(pause));
  }

  private static Instant notBefore(Instant written, int attempt, Instant latest) {
    return written == null || attempt == 0 || !written.isAfter(latest) ? written : latest;
  }

  /** What {@link RetryRule} decided when its last attempt had ended, if that has to be paused. */
  private static Duration pause(
      boolean restarts, RetryPolicy retry, int failedTries, int shortRuns) {
    return restarts ? Restart.waitAfter(shortRuns) : retry.waitAfter(failedTries);
  }
}
