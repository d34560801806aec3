package io.millrace.tests.drill.check;

import io.millrace.api.job.AttemptId;

/**
 * One process as recorded in the journal; times are seconds since boot.
 *
 * @param attempt its attempt
 * @param pid of the process that wrote
 * @param node the execution node's id, from the process's environment
 * @param name the drill's name for the job
 * @param start its first line
 * @param last its last line of any kind; of a killed job, the last sign of life
 * @param code its exit code; null if it did not reach its end
 */
public record ProcessRun(
    AttemptId attempt,
    long pid,
    String node,
    String name,
    double start,
    double last,
    Integer code) {
  ProcessRun seenAt(double time) {
    return new ProcessRun(attempt, pid, node, name, start, Math.max(last, time), code);
  }

  ProcessRun endedAt(double time, int exitCode) {
    return new ProcessRun(attempt, pid, node, name, start, Math.max(last, time), exitCode);
  }

  /** Whether both certainly ran at the same moment. */
  boolean overlaps(ProcessRun other) {
    return start < other.last && other.start < last;
  }

  @Override
  public String toString() {
    return "%s of %s (pid %d, %.2f to %.2f, %s)"
        .formatted(attempt, name, pid, start, last, code == null ? "no end" : "exit code " + code);
  }
}
