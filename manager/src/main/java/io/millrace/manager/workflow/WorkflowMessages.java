package io.millrace.manager.workflow;

import io.millrace.api.ErrorCode;
import io.millrace.api.MessageText;
import io.millrace.api.MillraceException;
import io.millrace.api.workflow.WorkflowState;
import io.millrace.api.workflow.WorkflowView;
import io.millrace.manager.workflow.WorkflowDao.WorkflowRow;
import java.util.ArrayList;
import java.util.List;

/** What workflows say to their users. */
final class WorkflowMessages {
  static final String TIMED_OUT = "its timeout has passed";

  private WorkflowMessages() {}

  static MillraceException unknown(long workflow) {
    return new MillraceException(
        ErrorCode.UNKNOWN_WORKFLOW,
        "there is no workflow %d; 'millrace workflow list' shows the workflows"
            .formatted(workflow));
  }

  static MillraceException conflict(WorkflowRow workflow, String rule) {
    return conflict(workflow.id(), workflow.name(), workflow.state(), rule);
  }

  static MillraceException conflict(WorkflowView workflow, String rule) {
    return conflict(workflow.id(), workflow.name(), workflow.state(), rule);
  }

  private static MillraceException conflict(
      long id, String name, WorkflowState state, String rule) {
    return new MillraceException(
        ErrorCode.CONFLICT,
        "workflow %d (%s) is %s: %s".formatted(id, name, MessageText.of(state), rule));
  }

  /**
   * Why it ended so; null if plain.
   *
   * @param steps how many steps it has
   */
  static String ended(WorkflowRow workflow, WorkflowState state, int steps) {
    if (state == WorkflowState.SUCCEEDED) {
      return null;
    }
    if (state == WorkflowState.CANCELLED) {
      return workflow.reason();
    }
    List<String> parts = new ArrayList<>();
    parts.add("%d of %d steps succeeded".formatted(workflow.succeeded(), steps));
    add(parts, workflow.failed(), "failed");
    add(parts, workflow.cancelled(), "cancelled");
    add(parts, steps - workflow.released(), "never started");
    String counts = String.join(", ", parts);
    return workflow.reason() == null ? counts : workflow.reason() + "; " + counts;
  }

  private static void add(List<String> parts, int steps, String what) {
    if (steps > 0) {
      parts.add(steps + " " + what);
    }
  }
}
