package io.millrace.api.workflow;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import java.util.List;

/**
 * Declares how steps, or a whole run, ended (J-17).
 *
 * @param steps each as of {@link StepReset}; empty for the run
 * @param to succeeded, failed or, of a run only, cancelled; in whatever case
 * @param reason why, human-readable; null for none
 */
public record StatusChange(List<String> steps, String to, String reason) {
  private static final int LONGEST_REASON = 500;

  public StatusChange {
    steps = StepReset.named(steps);
    if (to == null) {
      throw refuse("to is missing: the state");
    }
    if (reason != null && reason.length() > LONGEST_REASON) {
      throw refuse("reason must have at most " + LONGEST_REASON + " characters");
    }
  }

  /** The state that steps are to have. */
  public WorkflowStepState ofSteps() {
    for (WorkflowStepState state : List.of(WorkflowStepState.SUCCEEDED, WorkflowStepState.FAILED)) {
      if (state.name().equalsIgnoreCase(to.strip())) {
        return state;
      }
    }
    throw refuse("to: steps can be set to succeeded or failed");
  }

  /** The state that the run is to have. */
  public WorkflowState ofRun() {
    for (WorkflowState state :
        List.of(WorkflowState.SUCCEEDED, WorkflowState.FAILED, WorkflowState.CANCELLED)) {
      if (state.name().equalsIgnoreCase(to.strip())) {
        return state;
      }
    }
    throw refuse("to: a run can be set to succeeded, failed or cancelled");
  }

  private static MillraceException refuse(String rule) {
    return new MillraceException(ErrorCode.INVALID_REQUEST, rule);
  }
}
