package io.millrace.queuenode.balancing;

import io.millrace.api.balancing.WeightMove;

/**
 * A move with the load that goes with it.
 *
 * @param move the points
 * @param load expected to leave the giver, in absolute units; 0 while unknown
 */
public record PlannedMove(WeightMove move, double load) {}
