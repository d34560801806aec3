package io.millrace.api.workflow;

import java.util.EnumSet;
import java.util.Set;

/** Where a workflow stands. */
public enum WorkflowState {
  /** Its steps are still being submitted. */
  BINDING,
  /** Its graph is being checked; nothing has started. */
  CHECKING,
  /** Steps run as soon as the steps that they need have succeeded. */
  RUNNING,
  /** Somebody cancelled it, and steps of it have not ended yet. */
  CANCELLING,
  /** All steps succeeded. */
  SUCCEEDED,
  /** Nothing can run any more, and not all steps succeeded. */
  FAILED,
  /** Cancelled, with all its steps ended. */
  CANCELLED,
  /** The check found an error; nothing of it ran. */
  REFUSED;

  /** The states that a workflow leaves only when somebody resumes it. */
  public static final Set<WorkflowState> ENDED =
      Set.copyOf(EnumSet.of(SUCCEEDED, FAILED, CANCELLED, REFUSED));

  /** Whether nothing of it runs or will run by itself. */
  public boolean ended() {
    return ENDED.contains(this);
  }
}
