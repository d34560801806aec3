package io.millrace.cli.bench;

/**
 * One line of the benchmark; the fields are those of {@code --json}.
 *
 * @param batch events in a request
 * @param putPerSecond events stored per second without consumers
 * @param leaseAckPerSecond events leased and acknowledged per second without producers
 * @param endToEndPerSecond events put, leased, delivered and acknowledged per second, all at once
 * @param p50Millis from before the put to the lease's answer, end to end, median
 * @param p99Millis the same, 99th percentile
 * @param forcedWritesPerSecond 4 KiB written and forced per second, by one writer
 * @param events events of all phases of this run
 * @param lost events whose put was acknowledged and that were never delivered
 * @param duplicates deliveries beyond the first
 */
record BenchResult(
    int batch,
    long putPerSecond,
    long leaseAckPerSecond,
    long endToEndPerSecond,
    double p50Millis,
    double p99Millis,
    long forcedWritesPerSecond,
    long events,
    long lost,
    long duplicates) {}
