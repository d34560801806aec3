package io.millrace.api.workflow;

import io.millrace.api.job.JobDetails.AttemptView;
import java.util.List;
import java.util.Map;

/**
 * A step of a workflow.
 *
 * @param step its number in the workflow, from 0
 * @param name its name, if it was listed with one; null otherwise
 * @param template what it runs
 * @param state where it stands
 * @param arguments the values of its arguments
 * @param unmet needs that have not succeeded, of those that it has alone
 */
public record StepView(
    int step,
    String name,
    String template,
    WorkflowStepState state,
    Map<String, String> arguments,
    int unmet) {
  /** What users call it: its name, {@code template}, or {@code template[value,…]}. */
  public String label() {
    if (name != null) {
      return name;
    }
    return arguments.isEmpty()
        ? template
        : template + "[" + String.join(",", arguments.values()) + "]";
  }

  /**
   * A page of steps by rising number.
   *
   * @param steps the page, which may be empty although there are further ones
   * @param next pass it as {@code after} for the page after; null at the end
   */
  public record StepPage(List<StepView> steps, Integer next) {}

  /**
   * A step with its job.
   *
   * @param step as in lists
   * @param reasons why it has not started, human-readable, the decisive one first; empty if it has
   * @param needs some of the steps that it needs itself
   * @param moreNeeds how many more those are
   * @param job the id of its job; null if it has none yet or its records were deleted
   * @param attempts of that job, oldest first
   * @param events what operators did to it by name, oldest first
   */
  public record StepDetails(
      StepView step,
      List<String> reasons,
      List<StepView> needs,
      int moreNeeds,
      Long job,
      List<AttemptView> attempts,
      List<WorkflowEvent> events) {
    public StepDetails {
      events = events == null ? List.of() : List.copyOf(events);
    }

    /** One that no operator has touched. */
    public StepDetails(
        StepView step,
        List<String> reasons,
        List<StepView> needs,
        int moreNeeds,
        Long job,
        List<AttemptView> attempts) {
      this(step, reasons, needs, moreNeeds, job, attempts, List.of());
    }
  }
}
