package io.millrace.manager.task;

/** What a job of a run is for. */
public enum WorkerRole {
  /** Prints the chunks. */
  LIST,
  /** Does the work. */
  WORK,
  /** Verifies that it is done. */
  VERIFY
}
