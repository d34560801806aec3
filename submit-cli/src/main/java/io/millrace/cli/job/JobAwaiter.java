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

/** Waits for the end of jobs, for all of them together no longer than allowed. Not thread-safe. */
final class JobAwaiter {
  private static final Duration SLICE = Duration.ofSeconds(10);
  private static final int ELEMENTS = 1000;

  private final CentralClient central;
  private final Clock clock;
  private final Duration limit;
  private final long started;

  /** The time runs from now; null for no limit. */
  JobAwaiter(CentralClient central, Clock clock, Duration limit) {
    this.central = central;
    this.clock = clock;
    this.limit = limit;
    this.started = clock.nanoTime();
  }

  /**
   * Blocks until the job has ended; gives its last state.
   *
   * @throws MillraceException TIMEOUT when the time is over first
   */
  JobView end(long id) {
    JobView job = central.await(id, slice());
    while (!job.state().ended()) {
      if (limit != null && slice().isZero()) {
        throw new MillraceException(
            ErrorCode.TIMEOUT,
            "job "
                + id
                + " is still "
                + JobFormatter.word(job.state())
                + " after "
                + Durations.format(limit)
                + "; it goes on");
      }
      job = central.await(id, slice());
    }
    return job;
  }

  private Duration slice() {
    if (limit == null) {
      return SLICE;
    }
    Duration left = limit.minusNanos(clock.nanoTime() - started);
    if (left.isNegative()) {
      return Duration.ZERO;
    }
    return left.compareTo(SLICE) < 0 ? left : SLICE;
  }

  /**
   * What a command exits with after the end of a job: its own code. Of an array it is the highest
   * of its failed elements, of which the last thousand are looked at, or 125 when none tells.
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
