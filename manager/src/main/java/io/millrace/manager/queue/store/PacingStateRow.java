package io.millrace.manager.queue.store;

import java.time.Instant;

/**
 * What one segment's queue manager recorded last.
 *
 * @param state what its policy carries over, as JSON
 * @param decidedAt when, by the database's clock
 * @param decisions recorded since ever
 * @param keptGate the gate of the last decision that was kept
 * @param keptAt when that was
 */
public record PacingStateRow(
    String state, Instant decidedAt, long decisions, String keptGate, Instant keptAt) {}
