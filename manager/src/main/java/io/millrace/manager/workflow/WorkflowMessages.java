package io.millrace.manager.workflow;

import io.millrace.api.ErrorCode;
import io.millrace.api.MessageText;
import io.millrace.api.MillraceException;
import io.millrace.api.ShownText;
import io.millrace.api.workflow.WorkflowState;
import io.millrace.api.workflow.WorkflowStepState;
import io.millrace.api.workflow.WorkflowView;
import io.millrace.manager.workflow.WorkflowDao.WorkflowRow;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.stream.Collectors;

/** What workflows say to their users. */
final class WorkflowMessages {
  /** Why a step waits that may run at any time. */
  static final String TURN = "waits for its turn among the steps of its workflow";

  static final String TIMED_OUT = "its timeout has passed";

  private static final int SHOWN = 5;

  private WorkflowMessages() {}

  static MillraceException unknown(long workflow) {
    return new MillraceException(
        ErrorCode.UNKNOWN_WORKFLOW,
        "there is no workflow %d; 'millrace workflow list' shows the workflows"
            .formatted(workflow));
  }

  /** Why a step that waited for a slot does so no more. */
  static String paused(long workflow) {
    return "its workflow is paused; 'millrace workflow resume %d' ends that".formatted(workflow);
  }

  /** As {@link #paused}, after a limit has changed. */
  static String limited(Integer most, String template) {
    if (most == null) {
      return TURN;
    }
    String whose = template == null ? "its workflow" : "'" + template + "'";
    return most == 0
        ? "the limit of " + whose + " is 0: no step starts"
        : "waits for its turn: at most %d steps of %s run at the same time".formatted(most, whose);
  }

  /** When the steps of a template are known whose list that one gives. */
  static String listGiven(String giver) {
    return "known once '%s' has given their list".formatted(giver);
  }

  static MillraceException unknownTemplate(long workflow, String template) {
    return new MillraceException(
        ErrorCode.UNKNOWN_STEP,
        "workflow %d has no template '%s'; 'millrace workflow show %d' shows them"
            .formatted(workflow, ShownText.of(template), workflow));
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
        ErrorCode.CONFLICT, "workflow %d (%s) %s: %s".formatted(id, name, words(state), rule));
  }

  /** {@code is running}, {@code has failed}, {@code was refused}. */
  static String words(WorkflowState state) {
    return switch (state) {
      case SUCCEEDED, FAILED -> "has " + MessageText.of(state);
      case CANCELLED, REFUSED -> "was " + MessageText.of(state);
      case BINDING, CHECKING, RUNNING -> "is " + MessageText.of(state);
      case CANCELLING -> "is being cancelled";
    };
  }

  /** {@code has failed}, {@code was cancelled}, {@code is waiting}. */
  static String words(WorkflowStepState state) {
    String verb =
        switch (state) {
          case SUCCEEDED, FAILED -> "has ";
          case CANCELLED -> "was ";
          case WAITING, RELEASED -> "is ";
        };
    return verb + MessageText.of(state);
  }

  /** Why no step starts of a workflow that is not running. */
  static String notRunning(WorkflowState state) {
    return state == WorkflowState.BINDING
        ? "its submission has not ended; the same 'workflow submit' continues it"
        : "its workflow " + words(state);
  }

  /** {@code 1 step}, {@code 12 steps}; a word without a plural stays. */
  static String count(int number, String thing) {
    return number + " " + thing + (number == 1 || !thing.endsWith("step") ? "" : "s");
  }

  /** The numbers of some steps: all, or the first few. */
  static String steps(BitSet steps) {
    int count = steps.cardinality();
    String first =
        steps.stream().limit(SHOWN).mapToObj(Integer::toString).collect(Collectors.joining(", "));
    return count == 1
        ? "step " + first
        : count + " steps (" + first + (count > SHOWN ? ", …)" : ")");
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
