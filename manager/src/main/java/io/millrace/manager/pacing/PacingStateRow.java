package io.millrace.manager.pacing;

import java.time.Instant;

/**
 * What one segment's queue manager recorded last.
 *
 * @param state what its policy carries over, as JSON
 * @param decidedAt when, by the database's clock
 * @param decisions recorded since ever
 * @param keptGate the gate of the last decision that was kept
 * @param keptAt when that was
 * @param unmet workers that maxWorkers kept it from starting at its last decision
 * @param unmetSince since when it lacks some and has got none; null when it lacks none
 */
public record PacingStateRow(
    String state,
    Instant decidedAt,
    long decisions,
    String keptGate,
    Instant keptAt,
    int unmet,
    Instant unmetSince) {}
