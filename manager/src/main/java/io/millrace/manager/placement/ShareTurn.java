package io.millrace.manager.placement;

import io.millrace.api.Pure;

/**
 * How far a share has come in one pool (stride scheduling).
 *
 * @param weight its part in proportion to the weights of others
 * @param pass what its starts cost so far, divided by its weight; the lowest goes first
 */
@Pure
public record ShareTurn(double weight, double pass) {}
