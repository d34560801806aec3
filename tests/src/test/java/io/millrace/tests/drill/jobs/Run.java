package io.millrace.tests.drill.jobs;

import io.millrace.api.job.AttemptId;

/**
 * One process as the journal tells of it; times are seconds since boot.
 *
 * @param attempt which
 * @param pid of the shell
 * @param name what the drill calls the job
 * @param start its first line
 * @param last its last line of whatever kind
 * @param code its exit code; null if it never came to its end
 */
record Run(AttemptId attempt, long pid, String name, double start, double last, Integer code) {
  Run seenAt(double time) {
    return new Run(attempt, pid, name, start, Math.max(last, time), code);
  }

  Run endedAt(double time, int exitCode) {
    return new Run(attempt, pid, name, start, Math.max(last, time), exitCode);
  }

  boolean overlaps(Run other) {
    return start < other.last && other.start < last;
  }
}
