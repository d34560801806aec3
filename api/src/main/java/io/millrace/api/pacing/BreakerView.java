package io.millrace.api.pacing;

import java.time.Instant;

/**
 * A breaker that is open: the queue's workers fail whatever they are given, so that nothing is
 * submitted but probes, and no failure is charged to an event.
 *
 * @param queue its name
 * @param openedAt since when, by the database's clock
 * @param reason for people: how many runs failed, and of how many
 * @param probes probes started since then
 * @param succeeded how many of the latest succeeded in a row
 * @param needed how many must
 * @param nextProbeAt when the next probe may start, by the database's clock; null when at once
 * @param lastFailure how the last failed run ended and what it wrote last, for people; null when
 *     nothing is kept of it
 */
public record BreakerView(
    String queue,
    Instant openedAt,
    String reason,
    int probes,
    int succeeded,
    int needed,
    Instant nextProbeAt,
    String lastFailure) {}
