package io.millrace.executor.run;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.millrace.api.job.AttemptId;
import io.millrace.api.job.AttemptResult;
import io.millrace.api.job.JobKind;
import io.millrace.api.job.Outcome;
import io.millrace.api.job.ReportedProgress;
import io.millrace.api.node.AttemptReport;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/**
 * A run that has ended, with its result; kept on disk until a central manager knows.
 *
 * @param attempt the attempt
 * @param kind what created the job
 * @param result how it ended; its run time follows from the two times below
 * @param startedAt wall clock of this host
 * @param endedAt wall clock of this host
 * @param progress what its program reported last; null for nothing
 * @param outputs values that it gave to steps of its workflow; null for none
 */
public record CompletedRun(
    AttemptId attempt,
    JobKind kind,
    @JsonUnwrapped AttemptResult result,
    Instant startedAt,
    Instant endedAt,
    ReportedProgress progress,
    Map<String, String> outputs) {
  public CompletedRun {
    result = result.withRunMillis(millis(startedAt, endedAt));
  }

  /** A worker for which no event was waiting, so that no process was started. */
  static CompletedRun idle(AttemptRecord record, Instant now) {
    return of(
        record, AttemptResult.of(Outcome.IDLE, "no event was waiting"), record.acceptedAt(), now);
  }

  /** One whose end is not known. */
  static CompletedRun lost(AttemptRecord record, Instant startedAt, Instant now, String reason) {
    return of(record, AttemptResult.lost(reason), startedAt, now);
  }

  static CompletedRun of(
      AttemptRecord record, AttemptResult result, Instant startedAt, Instant endedAt) {
    return new CompletedRun(
        record.attempt(), record.assignment().kind(), result, startedAt, endedAt, null, null);
  }

  /** The same with what the program reported last. */
  CompletedRun withProgress(Optional<ReportedProgress> last) {
    return new CompletedRun(attempt, kind, result, startedAt, endedAt, last.orElse(null), outputs);
  }

  /** The same with its output values, or as a failure if those cannot be used. */
  CompletedRun withOutputs(OutputValues given) {
    if (!result.outcome().success()) {
      return this;
    }
    AttemptResult known =
        given.problem() == null
            ? result
            : result.with(copy -> copy.outcome(Outcome.FAILED).reason(given.problem()));
    return new CompletedRun(
        attempt,
        kind,
        known,
        startedAt,
        endedAt,
        progress,
        given.values().isEmpty() ? null : given.values());
  }

  /** Whether it is one of the many successful workers, whose logs are deleted first. */
  public boolean successfulWorker() {
    return kind == JobKind.WORKER && result.outcome().success();
  }

  /** As reported; a wall clock that was set back meanwhile makes times zero, not negative. */
  public AttemptReport report(Instant now) {
    return AttemptReport.ended(attempt, result, millis(startedAt, now), millis(endedAt, now))
        .withProgress(progress)
        .withOutputs(outputs);
  }

  /** The report of a start. */
  public static AttemptReport started(AttemptId attempt, Instant startedAt, Instant now) {
    return AttemptReport.started(attempt, millis(startedAt, now));
  }

  private static long millis(Instant from, Instant to) {
    return Math.max(0, Duration.between(from, to).toMillis());
  }
}
