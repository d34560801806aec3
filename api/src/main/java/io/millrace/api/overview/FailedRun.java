package io.millrace.api.overview;

import io.millrace.api.job.AttemptId;
import java.time.Instant;

/**
 * A failed worker run with its last words.
 *
 * @param attempt which
 * @param node where it ran
 * @param at when it ended
 * @param exitCode null if none
 * @param signal null if none
 * @param reason for people
 * @param stderrTail last words; null for none
 */
public record FailedRun(
    AttemptId attempt,
    String node,
    Instant at,
    Integer exitCode,
    Integer signal,
    String reason,
    String stderrTail) {}
