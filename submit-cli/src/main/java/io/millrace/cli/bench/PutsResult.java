package io.millrace.cli.bench;

/**
 * Single events at a steady rate; the fields are those of {@code --json}.
 *
 * @param rate puts asked for per second
 * @param putPerSecond puts that were acknowledged per second
 * @param newConnections whether each put had a connection of its own
 * @param p50Millis from when the put was due until it was acknowledged, median
 * @param p99Millis the same, 99th percentile
 * @param maxMillis the longest
 * @param failed puts that were not acknowledged
 * @param forcedWritesPerSecond 4 KiB written and forced per second, by one writer, in the same run
 */
record PutsResult(
    int rate,
    long putPerSecond,
    boolean newConnections,
    double p50Millis,
    double p99Millis,
    double maxMillis,
    long failed,
    long forcedWritesPerSecond) {}
