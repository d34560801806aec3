package io.millrace.executor.run;

import io.millrace.api.job.AttemptId;
import io.millrace.api.job.JobKind;
import io.millrace.api.job.Outcome;
import io.millrace.api.job.Usage;
import io.millrace.api.node.AttemptReport;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * What became of an attempt; kept on disk until a central manager knows.
 *
 * @param attempt the attempt
 * @param kind who wanted the job
 * @param outcome how it ended
 * @param exitCode null if none
 * @param signal null if none
 * @param reason for people; null if plain
 * @param stderrTail last words of one that failed; null if none
 * @param events events taken
 * @param startedAt wall clock of this host
 * @param endedAt wall clock of this host
 * @param usage what its processes used; null when unknown
 * @param event id of the one event that a worker had alone; null if it had several or none
 */
public record RunResult(
    AttemptId attempt,
    JobKind kind,
    Outcome outcome,
    Integer exitCode,
    Integer signal,
    String reason,
    String stderrTail,
    int events,
    Instant startedAt,
    Instant endedAt,
    Usage usage,
    String event) {
  /** Of an attempt that had no event alone. */
  public RunResult(
      AttemptId attempt,
      JobKind kind,
      Outcome outcome,
      Integer exitCode,
      Integer signal,
      String reason,
      String stderrTail,
      int events,
      Instant startedAt,
      Instant endedAt,
      Usage usage) {
    this(
        attempt,
        kind,
        outcome,
        exitCode,
        signal,
        reason,
        stderrTail,
        events,
        startedAt,
        endedAt,
        usage,
        null);
  }

  /** The same of a worker that had one event alone, if it had. */
  RunResult on(Optional<String> aloneEvent) {
    return new RunResult(
        attempt,
        kind,
        outcome,
        exitCode,
        signal,
        reason,
        stderrTail,
        events,
        startedAt,
        endedAt,
        usage,
        aloneEvent.orElse(null));
  }

  /** Whether it is one of the many whose logs interest few. */
  public boolean successfulWorker() {
    return kind == JobKind.WORKER && outcome.success();
  }

  /** As reported; a wall clock that was set back meanwhile makes times zero, not negative. */
  public AttemptReport report(Instant now) {
    return new AttemptReport(
        attempt,
        true,
        outcome,
        exitCode,
        signal,
        reason,
        stderrTail,
        events,
        millis(startedAt, endedAt),
        millis(startedAt, now),
        millis(endedAt, now),
        usage,
        event);
  }

  /** The report of a start. */
  public static AttemptReport started(AttemptId attempt, Instant startedAt, Instant now) {
    return new AttemptReport(
        attempt, false, null, null, null, null, null, 0, 0, millis(startedAt, now), 0, null);
  }

  private static long millis(Instant from, Instant to) {
    return Math.max(0, Duration.between(from, to).toMillis());
  }

  /** Results of attempts that no process stood behind, or whose end could not be worked off. */
  static final class RunResults {
    private RunResults() {}

    /** There was nothing to do. */
    static RunResult idle(AttemptRecord record, Instant now) {
      return result(record, Outcome.IDLE, "no event was waiting", record.acceptedAt(), now);
    }

    /** How it ended is not known. */
    static RunResult lost(AttemptRecord record, Instant startedAt, Instant now, String reason) {
      return result(record, Outcome.LOST, reason, startedAt, now);
    }

    private static RunResult result(
        AttemptRecord record, Outcome outcome, String reason, Instant startedAt, Instant endedAt) {
      return new RunResult(
          record.attempt(),
          record.assignment().kind(),
          outcome,
          null,
          null,
          reason,
          null,
          0,
          startedAt,
          endedAt,
          null);
    }
  }
}
