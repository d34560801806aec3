package io.millrace.api.queue;

/**
 * How loaded a queue node is, with the signals behind it, each smoothed, 0 to 1.
 *
 * @param state the state with hysteresis
 * @param load the largest of the signals
 * @param cpu share of the machine's processors that the process uses
 * @param store share of wall time that the store's writer is working
 * @param reason why the node is in this state, for people
 */
public record NodeLoad(NodeState state, double load, double cpu, double store, String reason) {}
