package io.millrace.api.insight;

import java.time.Instant;

/**
 * A problem that has ended.
 *
 * @param id its number
 * @param code stable
 * @param subject the node, queue, task or job that it was about
 * @param severity how much it mattered
 * @param message as last reported
 * @param since its begin, by the database's clock
 * @param endedAt when it was last seen
 */
public record EndedProblem(
    long id,
    String code,
    String subject,
    ProblemSeverity severity,
    String message,
    Instant since,
    Instant endedAt) {}
