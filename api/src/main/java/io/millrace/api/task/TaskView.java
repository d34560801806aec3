package io.millrace.api.task;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.definition.DeletionView;
import java.time.Duration;
import java.time.Instant;

/**
 * The current state of a task.
 *
 * @param definition in force
 * @param version of the definition
 * @param schedule its schedule's description, with the next five times; null without one
 * @param paused whether nothing is started
 * @param pausedBy who paused it; null if nobody did
 * @param pauseReason null when nobody gave one
 * @param pausedUntil when the pause ends by itself; null for never
 * @param current the current run; null for none
 * @param last the newest run that ended; null for none
 * @param deletion its deletion in progress; null for none, and in lists
 */
public record TaskView(
    TaskDefinition definition,
    int version,
    SchedulePreview schedule,
    boolean paused,
    String pausedBy,
    String pauseReason,
    Instant pausedUntil,
    TaskRunView current,
    TaskRunView last,
    DeletionView deletion) {

  /** A task that is not being deleted. */
  public TaskView(
      TaskDefinition definition,
      int version,
      SchedulePreview schedule,
      boolean paused,
      String pausedBy,
      String pauseReason,
      Instant pausedUntil,
      TaskRunView current,
      TaskRunView last) {
    this(
        definition,
        version,
        schedule,
        paused,
        pausedBy,
        pauseReason,
        pausedUntil,
        current,
        last,
        null);
  }

  /** The same task with its deletion. */
  public TaskView with(DeletionView inProgress) {
    return new TaskView(
        definition,
        version,
        schedule,
        paused,
        pausedBy,
        pauseReason,
        pausedUntil,
        current,
        last,
        inProgress);
  }

  /**
   * Pauses a task.
   *
   * @param reason human-readable; null for none
   * @param duration after which it resumes by itself; null for until somebody resumes it
   */
  public record TaskPause(String reason, Duration duration) {
    private static final int LONGEST_REASON = 1_000;

    public TaskPause {
      if (reason != null && reason.length() > LONGEST_REASON) {
        throw new MillraceException(
            ErrorCode.INVALID_REQUEST, "a reason has at most " + LONGEST_REASON + " characters");
      }
      if (duration != null && (duration.isNegative() || duration.isZero())) {
        throw new MillraceException(ErrorCode.INVALID_REQUEST, "duration must be greater than 0");
      }
    }
  }
}
