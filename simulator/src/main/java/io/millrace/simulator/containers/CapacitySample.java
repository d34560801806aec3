package io.millrace.simulator.containers;

/**
 * One point of a day's curves.
 *
 * @param second from the beginning
 * @param needed consumers that arrivals would keep busy
 * @param held consumers or workers that were there
 * @param waiting events
 * @param delay greatest age of a waiting event since the last point, in seconds
 */
public record CapacitySample(
    double second, double needed, double held, double waiting, double delay) {}
