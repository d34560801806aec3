package io.millrace.manager.placement;

/**
 * What a plan does to a share's turn.
 *
 * @param pass the share's pass afterwards
 * @param startTag its pass right before its last start
 * @param slots slots of the jobs that it starts
 */
public record ShareCharge(double pass, double startTag, long slots) {}
