package io.millrace.api.job;

/**
 * What the processes of an attempt used together, as sampled while they ran.
 *
 * @param cpuMillis processor time
 * @param memoryBytes the largest resident memory sampled
 * @param readBytes read from storage
 * @param writtenBytes written to storage
 */
public record Usage(long cpuMillis, long memoryBytes, long readBytes, long writtenBytes) {
  /** The larger figures of this and another incomplete account of the same processes. */
  public Usage larger(Usage other) {
    return new Usage(
        Math.max(cpuMillis, other.cpuMillis),
        Math.max(memoryBytes, other.memoryBytes),
        Math.max(readBytes, other.readBytes),
        Math.max(writtenBytes, other.writtenBytes));
  }
}
