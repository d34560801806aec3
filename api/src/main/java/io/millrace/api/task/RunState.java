package io.millrace.api.task;

/** The state of a run of a task. */
public enum RunState {
  /** Waits for the end of the previous run, or for its window. */
  QUEUED,
  /** Its task manager is working on it. */
  RUNNING,
  /** Everything was done. */
  SUCCEEDED,
  /** Something failed and is not retried. */
  FAILED,
  /** Stopped by its window, its successor or a user. */
  STOPPED,
  /** Not started, because the previous run was still running. */
  SKIPPED,
  /** Not started, because its time passed while nothing could be started, or in a pause. */
  MISSED;

  /** Whether it is final. */
  public boolean ended() {
    return this != QUEUED && this != RUNNING;
  }
}
