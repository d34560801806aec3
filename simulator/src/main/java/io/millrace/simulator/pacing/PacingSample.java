package io.millrace.simulator.pacing;

/**
 * One point of the four published curves (H-213).
 *
 * @param second from the start
 * @param arrivals events per second since the last point
 * @param workers submitted per second since the last point
 * @param waiting events that waited after workers took theirs, on average since the last point
 * @param delay greatest age of the oldest of them since then, in seconds
 */
public record PacingSample(
    double second, double arrivals, double workers, long waiting, double delay) {}
