package io.millrace.manager.task;

import io.millrace.api.job.JobState;
import io.millrace.api.job.Outcome;
import java.time.Duration;
import java.time.Instant;

/**
 * A worker of a run with what its job came to.
 *
 * @param id of the row
 * @param role what it is for
 * @param position of its chunk, from 0
 * @param chunk null for none
 * @param job null when it is to be done again
 * @param state of the job; null when the job is deleted by now
 * @param outcome of its last attempt; null for none
 * @param startedAt of its last attempt; null for none
 * @param endedAt of the job; null while it lives
 */
public record WorkerRow(
    long id,
    WorkerRole role,
    long position,
    String chunk,
    Long job,
    JobState state,
    Outcome outcome,
    Instant startedAt,
    Instant endedAt) {
  public boolean succeeded() {
    return state == JobState.SUCCEEDED;
  }

  /** Whether it found nothing to do. */
  public boolean idle() {
    return succeeded() && outcome == Outcome.IDLE;
  }

  /** How long its last attempt took; 0 if unknown. */
  public long millis() {
    return startedAt == null || endedAt == null
        ? 0
        : Math.max(0, Duration.between(startedAt, endedAt).toMillis());
  }
}
