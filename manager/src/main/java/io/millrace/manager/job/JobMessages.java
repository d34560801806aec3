package io.millrace.manager.job;

import io.millrace.api.ErrorCode;
import io.millrace.api.MessageText;
import io.millrace.api.MillraceException;
import io.millrace.api.job.JobState;

/** Messages about jobs that several services give. */
public final class JobMessages {
  /** Follows "job N". */
  static final String DOES_NOT_EXIST =
      "does not exist; ended jobs are deleted after their retention period";

  private JobMessages() {}

  /** The error for a job that does not exist. */
  public static MillraceException unknown(long id) {
    return new MillraceException(
        ErrorCode.UNKNOWN_JOB,
        "job %d %s, see 'millrace job list --all'".formatted(id, DOES_NOT_EXIST));
  }

  /** The state as a predicate, which follows "job N" or "it": {@code has succeeded}. */
  static String predicate(JobState state) {
    return switch (state) {
      case SUCCEEDED, FAILED -> "has " + MessageText.of(state);
      case CANCELLED -> "was " + MessageText.of(state);
      case WAITING, BLOCKED, HELD, PLACED, RUNNING -> "is " + MessageText.of(state);
    };
  }

  /** Follows "job N". */
  static String alreadyEnded(JobState state) {
    return "has already ended: " + MessageText.of(state);
  }

  /** Follows "job N". */
  static String alreadyCancelled(String reason) {
    return "was already asked to stop: " + reason;
  }

  /** A line of a history. */
  static String submittedBy(String owner) {
    return "submitted by " + owner;
  }

  /** A line of a history. */
  static String placedOn(String node) {
    return "placed on " + node;
  }

  /** A line of a history. */
  static String startedOn(String node) {
    return "started on " + node;
  }

  /** Follows "job N". */
  static String notRetried(JobState state) {
    return predicate(state) + "; only failed or cancelled jobs can be retried";
  }

  static String stopRequested(String reason) {
    return "asked to stop: " + reason;
  }

  /** What a blocked job waits for; a lane of null means its turn in its array. */
  static String blocked(int unmet, String lane) {
    if (unmet > 0) {
      return "waits for %d %s to end".formatted(unmet, unmet == 1 ? "job" : "jobs");
    }
    return "waits for its turn in " + (lane == null ? "its array" : "lane " + lane);
  }

  /** The error for a second job with a single-instance name. */
  static MillraceException singleHeld(String single, long id) {
    return new MillraceException(
        ErrorCode.CONFLICT,
        "single '%s' is held by job %d, which has not ended; wait for it or cancel it first"
            .formatted(single, id));
  }
}
