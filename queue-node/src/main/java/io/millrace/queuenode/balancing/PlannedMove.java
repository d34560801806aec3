package io.millrace.queuenode.balancing;

import io.millrace.api.Pure;
import io.millrace.api.weight.WeightMove;

/**
 * A move with the load that goes with it.
 *
 * @param move the points
 * @param load expected to leave the giver, in absolute units; 0 while unknown
 */
@Pure
public record PlannedMove(WeightMove move, double load) {}
