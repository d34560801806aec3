package io.millrace.api.task;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import java.time.Duration;

/**
 * Pauses a task.
 *
 * @param reason for people; null for none
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
      throw new MillraceException(ErrorCode.INVALID_REQUEST, "duration is longer than nothing");
    }
  }
}
