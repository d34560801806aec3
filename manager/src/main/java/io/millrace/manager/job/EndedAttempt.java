package io.millrace.manager.job;

import io.millrace.manager.job.store.JobFacts;
import java.time.Instant;

/**
 * An attempt that has ended, before its job knows.
 *
 * @param job the job under lock; its current attempt is the one
 * @param end how it ended
 * @param startedAt null if it never started
 * @param endedAt by the database's clock
 * @param stderrTail last words; null for none
 * @param events events taken
 */
record EndedAttempt(
    JobFacts job,
    AttemptEnd end,
    Instant startedAt,
    Instant endedAt,
    String stderrTail,
    int events) {}
