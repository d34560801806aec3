package io.millrace.manager.job;

import io.millrace.api.job.Outcome;
import io.millrace.api.job.Usage;
import java.time.Instant;

/**
 * An attempt that has ended.
 *
 * @param job the job under lock, as it was before; its current attempt is the one
 * @param end how it ended
 * @param startedAt null if it never started
 * @param endedAt by the database's clock
 * @param stderrTail last words; null for none
 * @param events events taken
 * @param usage what its processes used; null if unknown
 * @param event id of the one event that a worker had alone; null if it had several or none
 * @param offered whether its node was ever offered it
 */
public record EndedAttempt(
    JobFacts job,
    AttemptEnd end,
    Instant startedAt,
    Instant endedAt,
    String stderrTail,
    int events,
    Usage usage,
    String event,
    boolean offered) {
  private static final String NO_TRY = "; never handed out, not counted as a try";

  /** The end of an attempt of which its node says nothing. */
  static EndedAttempt unheard(JobFacts job, AttemptEnd end, boolean offered, Instant now) {
    AttemptEnd told =
        end.outcome() == Outcome.LOST && !offered ? end.because(end.reason() + NO_TRY) : end;
    return new EndedAttempt(job, told, job.startedAt(), now, null, 0, null, null, offered);
  }

  /**
   * Whether this was a try at all: what was lost before its node was offered it was not (ADR 22).
   */
  boolean wasTry() {
    return offered || end.outcome() != Outcome.LOST;
  }

  /** The same end with another reason. */
  EndedAttempt because(String reason) {
    return new EndedAttempt(
        job, end.because(reason), startedAt, endedAt, stderrTail, events, usage, event, offered);
  }
}
