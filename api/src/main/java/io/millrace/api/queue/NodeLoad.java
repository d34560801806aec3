package io.millrace.api.queue;

/**
 * How loaded a queue node is, with the signals behind it, each smoothed, 0 to 1 (H-110..H-114).
 *
 * @param state the state with hysteresis
 * @param load the largest of the signals that count
 * @param cpu share of the machine's processors that the process uses
 * @param store share of wall time that the store's writer is working
 * @param disk share of time that the system's tasks stall on the disk; null where it is not
 *     readable
 * @param reason why the node is in this state, for people
 */
public record NodeLoad(
    NodeState state, double load, double cpu, double store, Double disk, String reason) {}
