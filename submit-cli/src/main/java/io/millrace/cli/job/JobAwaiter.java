package io.millrace.cli.job;

import io.millrace.api.Durations;
import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.client.ApiClient;
import io.millrace.api.client.CentralClient;
import io.millrace.api.job.JobState;
import io.millrace.api.job.JobView;
import io.millrace.cli.invocation.ExitCode;
import io.millrace.platform.clock.Clock;
import java.time.Duration;

/** Waits for jobs to end, with one time limit for all of them. Not thread-safe. */
final class JobAwaiter {
  private static final Duration MAX_POLL = Duration.ofSeconds(10);
  private static final int ELEMENTS = 1000;

  private final CentralClient central;
  private final Clock clock;
  private final Duration limit;
  private final long started;

  /** The time limit starts now; null for none. */
  JobAwaiter(CentralClient central, Clock clock, Duration limit) {
    this.central = central;
    this.clock = clock;
    this.limit = limit;
    this.started = clock.nanoTime();
  }

  /**
   * Blocks until the job has ended; returns its last state.
   *
   * @throws MillraceException TIMEOUT if the time limit expires first
   */
  JobView end(long id) {
    JobView job = central.await(id, pollTimeout());
    while (!job.state().ended()) {
      if (limit != null && pollTimeout().isZero()) {
        throw new MillraceException(
            ErrorCode.TIMEOUT,
            "job %d is still %s after %s and continues"
                .formatted(id, JobFormatter.lowerCase(job.state()), Durations.format(limit)));
      }
      job = central.await(id, pollTimeout());
    }
    return job;
  }

  private Duration pollTimeout() {
    if (limit == null) {
      return MAX_POLL;
    }
    Duration left = limit.minusNanos(clock.nanoTime() - started);
    if (left.isNegative()) {
      return Duration.ZERO;
    }
    return left.compareTo(MAX_POLL) < 0 ? left : MAX_POLL;
  }

  /**
   * The exit code of a command that waited for this job: the job's own; of an array, the highest of
   * its last thousand failed elements, or 125 if they have none.
   */
  static int exitCode(CentralClient central, JobView ended) {
    boolean array = ended.progress() != null;
    if (!array || ended.state() == JobState.SUCCEEDED || ended.progress().failed() == 0) {
      return ExitCode.of(ended);
    }
    String failed = "array:" + ended.id() + " state:failed";
    return central.jobs("search=" + ApiClient.encode(failed) + "&limit=" + ELEMENTS).jobs().stream()
        .mapToInt(ExitCode::of)
        .max()
        .orElseGet(() -> ExitCode.of(ended));
  }
}
