package io.millrace.api.workflow;

import java.util.List;

/**
 * The graph of the steps of a workflow that has few of them.
 *
 * @param workflow its number
 * @param steps all of them, by rising number
 */
public record StepNeeds(long workflow, List<NeedingStep> steps) {
  /** The most steps of a workflow whose steps are shown as a graph. */
  public static final int MAX_STEPS = 200;

  public StepNeeds {
    steps = List.copyOf(steps);
  }

  /**
   * A step with what it needs.
   *
   * @param step as in lists
   * @param needs numbers of the single steps that it needs, rising
   * @param all names of the templates of which it needs all steps
   */
  public record NeedingStep(StepView step, List<Integer> needs, List<String> all) {
    public NeedingStep {
      needs = List.copyOf(needs);
      all = List.copyOf(all);
    }
  }
}
