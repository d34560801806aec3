package io.millrace.api.job;

/**
 * What the processes of an attempt used together, as sampled while they ran.
 *
 * @param cpuMillis processor time
 * @param memoryBytes the largest resident memory sampled
 * @param readBytes read from storage
 * @param writtenBytes written to storage
 */
public record Usage(long cpuMillis, long memoryBytes, long readBytes, long writtenBytes) {}
