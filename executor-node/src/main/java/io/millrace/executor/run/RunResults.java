package io.millrace.executor.run;

import io.millrace.api.job.Outcome;
import java.time.Instant;

/** Results of attempts that no process stood behind, or whose end could not be worked off. */
final class RunResults {
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
