package io.millrace.api.job;

/**
 * A job that must have ended first.
 *
 * @param job its id
 * @param end how it must have ended; null for OK. A job whose condition can no longer be met is
 *     cancelled
 */
public record Dependency(long job, End end) {
  /** How the other job must have ended. */
  public enum End {
    /** Succeeded. */
    OK,
    /** In any way. */
    ANY,
    /** Failed or cancelled. */
    FAIL
  }

  public Dependency {
    if (job < 1) {
      throw new IllegalArgumentException("after: a job's id is a number from 1, not " + job);
    }
    end = end == null ? End.OK : end;
  }

  /** Whether the condition is met by a job that ended in that state. */
  public boolean met(JobState ended) {
    return switch (end) {
      case OK -> ended == JobState.SUCCEEDED;
      case ANY -> true;
      case FAIL -> ended != JobState.SUCCEEDED;
    };
  }
}
