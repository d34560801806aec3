package io.millrace.api.pacing;

import java.time.Instant;

/**
 * An open breaker: the queue's workers fail on every event, so that only probes are submitted and
 * no failure is charged to an event.
 *
 * @param queue its name
 * @param openedAt since when, by the database's clock
 * @param reason for people: how many runs failed, and of how many
 * @param probes probes started since then
 * @param succeeded how many of the last probes succeeded in a row
 * @param needed how many must succeed in a row
 * @param nextProbeAt when the next probe may start, by the database's clock; null when at once
 * @param lastFailure how the last failed run ended and the last line it wrote, for people; null if
 *     not stored
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
