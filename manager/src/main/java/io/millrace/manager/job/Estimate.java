package io.millrace.manager.job;

/**
 * What a job is likely to need; booked on its node, never enforced.
 *
 * @param cpuMillis thousandths of processors; 0 for unknown
 * @param memoryBytes memory; 0 for unknown
 */
public record Estimate(int cpuMillis, long memoryBytes) {}
