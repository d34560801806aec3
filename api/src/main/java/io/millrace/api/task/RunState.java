package io.millrace.api.task;

/** Where a run of a task stands. */
public enum RunState {
  /** Waits for the end of the run before, or for its window. */
  QUEUED,
  /** Its task manager works on it. */
  RUNNING,
  /** All was done. */
  SUCCEEDED,
  /** Something failed for good. */
  FAILED,
  /** Stopped by its window, its successor or somebody. */
  STOPPED,
  /** Not started, because the run before lasted. */
  SKIPPED,
  /** Not started, because its time passed while nothing could be started, or in a pause. */
  MISSED;

  /** Whether it stays as it is. */
  public boolean ended() {
    return this != QUEUED && this != RUNNING;
  }
}
