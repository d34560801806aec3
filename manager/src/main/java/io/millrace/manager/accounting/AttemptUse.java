package io.millrace.manager.accounting;

import io.millrace.api.job.AttemptResult;
import io.millrace.api.job.Outcome;
import io.millrace.api.job.Usage;
import io.millrace.manager.job.EndedAttempt;
import java.time.Duration;

/**
 * What ended attempts used together.
 *
 * @param runs attempts that started
 * @param failures attempts that did not succeed, except those that were stopped
 * @param runMillis time from their starts to their ends
 * @param slotMillis the same times the slots that they took
 * @param cpuMillis processor time, as far as their nodes measured it
 * @param memoryMibSeconds the most memory that each used, for the time that it ran
 */
record AttemptUse(
    long runs,
    long failures,
    long runMillis,
    long slotMillis,
    long cpuMillis,
    double memoryMibSeconds) {
  static final AttemptUse NONE = new AttemptUse(0, 0, 0, 0, 0, 0);

  private static final double MIB = 1024.0 * 1024.0;

  /** Of one attempt; nothing if it certainly ran nothing, or takes no slots as a manager does. */
  static AttemptUse of(EndedAttempt end) {
    if (end.job().slots() == 0) {
      return NONE;
    }
    AttemptResult result = end.result();
    boolean failed = !result.outcome().success() && result.outcome() != Outcome.STOPPED;
    if (end.startedAt() == null || result.ranNothing()) {
      return result.outcome() == Outcome.START_FAILED ? new AttemptUse(0, 1, 0, 0, 0, 0) : NONE;
    }
    // A node measures the time without regard to steps of its clock; a lost attempt has no report.
    long millis =
        result.runMillis() > 0
            ? result.runMillis()
            : Math.max(0, Duration.between(end.startedAt(), end.endedAt()).toMillis());
    Usage usage = result.usage();
    return new AttemptUse(
        1,
        failed ? 1 : 0,
        millis,
        millis * end.job().slots(),
        usage == null ? 0 : usage.cpuMillis(),
        usage == null ? 0 : usage.memoryBytes() / MIB * millis / 1000);
  }

  AttemptUse plus(AttemptUse other) {
    return new AttemptUse(
        runs + other.runs,
        failures + other.failures,
        runMillis + other.runMillis,
        slotMillis + other.slotMillis,
        cpuMillis + other.cpuMillis,
        memoryMibSeconds + other.memoryMibSeconds);
  }

  /**
   * What is added up.
   *
   * @param epochDay the day (UTC) on which the attempts ended
   * @param owner of their jobs
   * @param queue that they worked for; empty for none
   */
  record UseKey(long epochDay, String owner, String queue) {}
}
