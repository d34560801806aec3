package io.millrace.cli.invocation;

import io.millrace.api.ErrorCode;
import io.millrace.api.job.JobState;
import io.millrace.api.job.JobView;

/** What the process exits with; scripts rely on the numbers. */
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

  /** The code of a command that otherwise exits with a job's own code: 120 to 125. */
  public int whileWaiting() {
    return whileWaiting;
  }

  /** The exit code that tells of an error. */
  public static ExitCode of(ErrorCode error) {
    return switch (error) {
      case INVALID_REQUEST -> USAGE;
      case UNKNOWN_QUEUE,
          UNKNOWN_DEFINITION,
          UNKNOWN_JOB,
          UNKNOWN_TASK,
          UNKNOWN_RUN,
          UNKNOWN_GROUP,
          UNKNOWN_NODE,
          UNKNOWN_ATTEMPT,
          UNKNOWN_SEGMENT ->
          NOT_FOUND;
      case UNAUTHENTICATED, FORBIDDEN -> AUTHENTICATION;
      case UNREACHABLE, UNAVAILABLE -> UNREACHABLE;
      case CONFLICT, STALE_ATTEMPT, STALE_REQUEST, STALE_VERSION, STALE_RECEIPT -> CONFLICT;
      case TIMEOUT -> TIMEOUT;
      default -> FAILED;
    };
  }

  /**
   * An ended job's own code: its exit code, 128 and the signal, or 125 when it did not succeed and
   * had neither (it never started, or ended well after its time was over).
   */
  public static int of(JobView job) {
    if (job.state() == JobState.SUCCEEDED) {
      return OK.code;
    }
    if (job.signal() != null) {
      return SIGNAL_BASE + job.signal();
    }
    boolean told = job.exitCode() != null && job.exitCode() != 0;
    return told ? job.exitCode() : FAILED.whileWaiting;
  }
}
