package io.millrace.api.task;

/** Where a step of a run stands that is done once: printing the chunks, verifying. */
public enum StepState {
  /** Not begun, or not wanted. */
  NONE,
  /** Its job waits or runs. */
  RUNNING,
  /** Its job succeeded. */
  DONE,
  /** Its job failed for good. */
  FAILED
}
