package io.millrace.api.session;

/**
 * Asks the queue node that has most slots of a queue of sessions to give some of them to another
 * node: it seals them, and then requests the move.
 *
 * @param to the receiving node's name
 * @param points how many slots, at least 1; it may give fewer
 */
public record SlotMoveRequest(String to, int points) {}
