package io.millrace.api.task;

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
