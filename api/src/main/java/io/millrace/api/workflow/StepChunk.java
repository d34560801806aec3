package io.millrace.api.workflow;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import java.util.List;
import java.util.Map;

/**
 * Consecutive steps of a workflow that are listed one by one.
 *
 * @param first the number of the first; steps made by lists have the lowest numbers from 0, in the
 *     order of their templates, and listed ones follow
 * @param steps at most {@link #MAX}; only the last chunk may have fewer
 */
public record StepChunk(int first, List<ListedStep> steps) {
  /** Steps of a chunk. */
  public static final int MAX = 1024;

  public StepChunk {
    steps = steps == null ? List.of() : List.copyOf(steps);
    if (steps.isEmpty() || steps.size() > MAX) {
      throw refuse("steps: there must be from 1 to " + MAX + ", not " + steps.size());
    }
    if (first < 0) {
      throw refuse("first must not be negative");
    }
  }

  /**
   * A step.
   *
   * @param name unique in the workflow, shown to users; null for none
   * @param template what it runs
   * @param arguments values for the placeholders of the template; null for none
   * @param needs the numbers of the steps that must have succeeded; null for none
   * @param all the templates of which all steps must have succeeded; null for none
   */
  public record ListedStep(
      String name,
      String template,
      Map<String, String> arguments,
      List<Integer> needs,
      List<String> all) {
    public ListedStep {
      if (template == null) {
        throw refuse("template is missing");
      }
      arguments = arguments == null ? Map.of() : Map.copyOf(arguments);
      needs = needs == null ? List.of() : List.copyOf(needs);
      all = all == null ? List.of() : List.copyOf(all);
    }
  }

  private static MillraceException refuse(String rule) {
    return new MillraceException(ErrorCode.INVALID_REQUEST, rule);
  }
}
