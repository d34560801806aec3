package io.millrace.api.job;

/** How an attempt ended. */
public enum Outcome {
  /** Exit code 0, or a built-in program that returned 0. */
  SUCCEEDED,
  /** Exit code other than 0. */
  FAILED,
  /** Ended by a signal that Millrace did not send. */
  SIGNALLED,
  /** Stopped because its time was over. */
  TIMED_OUT,
  /** Stopped because it used more memory than it may. */
  MEMORY_EXCEEDED,
  /** Stopped because somebody cancelled it, or the node drained. */
  STOPPED,
  /** The program could not be started. */
  START_FAILED,
  /** Its node was lost, or no trace of its end was found. */
  LOST,
  /** There was nothing to do, so that no process was started. */
  IDLE;

  public boolean success() {
    return this == SUCCEEDED || this == IDLE;
  }
}
