package io.millrace.api.job;

/** How an attempt ended. */
public enum Outcome {
  /** Exit code 0, or a built-in program that returned 0. */
  SUCCEEDED,
  /** Exit code other than 0. */
  FAILED,
  /** Ended by a signal that Millrace did not send. */
  SIGNALLED,
  /** Stopped at its time limit. */
  TIMED_OUT,
  /** Stopped at its memory limit. */
  MEMORY_EXCEEDED,
  /** Stopped because it was cancelled or its node drained. */
  STOPPED,
  /** The program could not be started. */
  START_FAILED,
  /** Its node was lost, or no trace of its end was found. */
  LOST,
  /** There was nothing to do; no process was started. */
  IDLE;

  public boolean success() {
    return this == SUCCEEDED || this == IDLE;
  }
}
