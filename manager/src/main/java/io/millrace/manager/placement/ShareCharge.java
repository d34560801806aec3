package io.millrace.manager.placement;

import io.millrace.api.Pure;

/**
 * What a plan does to a share's turn.
 *
 * @param pass the share's pass afterwards
 * @param startTag its pass right before its last start
 * @param slots slots of the jobs that it starts
 */
@Pure
public record ShareCharge(double pass, double startTag, long slots) {}
