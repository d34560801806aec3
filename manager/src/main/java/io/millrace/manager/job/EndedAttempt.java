package io.millrace.manager.job;

import io.millrace.api.job.AttemptResult;
import io.millrace.api.job.Outcome;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;

/**
 * An attempt that has ended.
 *
 * @param job the job under lock, as it was before; its current attempt is the one
 * @param result how it ended
 * @param startedAt null if it never started
 * @param endedAt by the database's clock
 * @param offered whether its node was ever offered it
 */
@RecordBuilder
public record EndedAttempt(
    JobFacts job, AttemptResult result, Instant startedAt, Instant endedAt, boolean offered)
    implements EndedAttemptBuilder.With {
  private static final String NO_TRY = "; never handed out, not counted as a try";

  /** An attempt that ended without a report of its node. */
  static EndedAttempt unreported(JobFacts job, AttemptResult result, boolean offered, Instant now) {
    boolean neverTried = result.outcome() == Outcome.LOST && !offered;
    return new EndedAttempt(
        job,
        neverTried ? result.withReason(result.reason() + NO_TRY) : result,
        job.startedAt(),
        now,
        offered);
  }

  /**
   * Whether this counts as a try: not if it was lost before its node was offered it (ADR 22), and
   * not if its node refused it.
   */
  boolean wasTry() {
    return (offered || result.outcome() != Outcome.LOST) && !UserRefusal.is(result);
  }
}
