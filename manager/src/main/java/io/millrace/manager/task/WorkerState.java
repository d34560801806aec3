package io.millrace.manager.task;

/** Where a row of a worker stands. */
public enum WorkerState {
  /** To be done again. */
  PENDING,
  /** Its job has not been seen to end. */
  LIVE,
  /** Its chunk belongs to a program for a while. */
  LENT,
  /** Failed for good. */
  FAILED,
  /** Succeeded; only of steps that are done once. */
  DONE
}
