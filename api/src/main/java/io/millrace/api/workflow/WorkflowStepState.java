package io.millrace.api.workflow;

/** Where a step of a workflow stands. */
public enum WorkflowStepState {
  /** Steps that it needs have not all succeeded. */
  WAITING,
  /** All that it needs has succeeded: it waits for a slot or runs, as an element of an array. */
  RELEASED,
  /** Succeeded. */
  SUCCEEDED,
  /** Failed, with all its attempts used up. */
  FAILED,
  /** Cancelled. */
  CANCELLED;

  /** Whether it has ended. */
  public boolean ended() {
    return this == SUCCEEDED || this == FAILED || this == CANCELLED;
  }
}
