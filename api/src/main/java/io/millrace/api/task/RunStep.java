package io.millrace.api.task;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.job.AttemptId;

/**
 * A task manager's decision; carried out if its attempt is current (fencing).
 *
 * @param attempt of the task manager
 * @param kind what to do
 * @param workers for WORK: how many are to be started
 * @param end for END: the state
 * @param reason human-readable; null if there is nothing to add
 */
public record RunStep(AttemptId attempt, Kind kind, int workers, RunState end, String reason) {
  /** The header with the secret of the attempt. */
  public static final String SECRET_HEADER = "Millrace-Attempt-Secret";

  /** The kinds of steps. */
  public enum Kind {
    /** Only record what has ended. */
    NOTE,
    /** Start the command that prints the chunks. */
    LIST,
    /** Read what it printed. */
    READ_CHUNKS,
    /** Start workers. */
    WORK,
    /** Start the command that verifies. */
    VERIFY,
    /** End the run. */
    END
  }

  public RunStep {
    if (attempt == null || kind == null) {
      throw refuse("attempt and kind are missing");
    }
    if (kind == Kind.WORK && (workers < 1 || workers > 10_000)) {
      throw refuse("workers must be from 1 to 10000");
    }
    if (kind == Kind.END && end != RunState.SUCCEEDED && end != RunState.FAILED) {
      throw refuse("end must be SUCCEEDED or FAILED");
    }
  }

  private static MillraceException refuse(String rule) {
    return new MillraceException(ErrorCode.INVALID_REQUEST, rule);
  }

  /** The state of a step that is done once per run: printing the chunks, verifying. */
  public enum StepState {
    /** Not started, or not needed. */
    NONE,
    /** Its job waits or runs. */
    RUNNING,
    /** Its job succeeded. */
    DONE,
    /** Its job failed and is not retried. */
    FAILED
  }
}
