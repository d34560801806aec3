package io.millrace.cli.invocation;

import io.millrace.api.ErrorCode;
import io.millrace.api.job.JobState;
import io.millrace.api.job.JobView;

/** Exit codes of the command; scripts rely on the numbers. */
public enum ExitCode {
  OK(0, 0),
  FAILED(1, 125),
  USAGE(2, 120),
  NOT_FOUND(3, 121),
  AUTHENTICATION(4, 122),
  UNREACHABLE(5, 123),
  CONFLICT(6, 125),
  TIMEOUT(7, 124);

  private static final int SIGNAL_BASE = 128;

  private final int code;
  private final int whileWaiting;

  ExitCode(int code, int whileWaiting) {
    this.code = code;
    this.whileWaiting = whileWaiting;
  }

  public int code() {
    return code;
  }

  /** The code of a command that otherwise exits with the exit code of a job: 120 to 125. */
  public int whileWaiting() {
    return whileWaiting;
  }

  /** The exit code for an error. */
  public static ExitCode of(ErrorCode error) {
    return switch (error) {
      case INVALID_REQUEST -> USAGE;
      case UNKNOWN_QUEUE,
          UNKNOWN_DEFINITION,
          UNKNOWN_JOB,
          UNKNOWN_SILENCE,
          UNKNOWN_DEAD_LETTER,
          UNKNOWN_TASK,
          UNKNOWN_RUN,
          UNKNOWN_WORKFLOW,
          UNKNOWN_STEP,
          UNKNOWN_GROUP,
          UNKNOWN_NODE,
          UNKNOWN_ATTEMPT,
          UNKNOWN_SESSION,
          UNKNOWN_WORKER,
          UNKNOWN_SEGMENT ->
          NOT_FOUND;
      case UNAUTHENTICATED, FORBIDDEN -> AUTHENTICATION;
      case UNREACHABLE, UNAVAILABLE -> UNREACHABLE;
      case CONFLICT,
          STALE_ATTEMPT,
          STALE_REQUEST,
          STALE_VERSION,
          STALE_RECEIPT,
          STALE_SLOT,
          DUPLICATE ->
          CONFLICT;
      case TIMEOUT -> TIMEOUT;
      default -> FAILED;
    };
  }

  /**
   * The exit code for an ended job: its own, 128 plus the signal, or 125 if it failed without
   * either (it never started, or exited with 0 after its timeout).
   */
  public static int of(JobView job) {
    if (job.state() == JobState.SUCCEEDED) {
      return OK.code;
    }
    if (job.signal() != null) {
      return SIGNAL_BASE + job.signal();
    }
    boolean failedItself = job.exitCode() != null && job.exitCode() != 0;
    return failedItself ? job.exitCode() : FAILED.whileWaiting;
  }
}
