package io.millrace.api.pacing;

/**
 * What one segment's queue manager decided.
 *
 * @param queue the queue
 * @param node the queue node's name
 * @param decision what and why
 */
public record PacedDecision(String queue, String node, PacingRecord decision) {}
