package io.millrace.manager.placement;

/**
 * How far a share has come in one pool (stride scheduling).
 *
 * @param weight its part in proportion to the weights of others
 * @param pass what its starts cost so far, divided by its weight; the lowest goes first
 */
public record ShareTurn(double weight, double pass) {}
