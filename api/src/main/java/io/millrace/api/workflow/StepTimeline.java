package io.millrace.api.workflow;

import java.time.Instant;
import java.util.List;

/**
 * How many steps of a workflow ran at the same time, template by template.
 *
 * @param workflow its number
 * @param from its start
 * @param intervalMillis length of an interval, of which there are at most 200
 * @param oneIn one in so many steps was looked at; 1 for all
 * @param templates those with the most steps
 * @param moreTemplates how many templates are left out
 */
public record StepTimeline(
    long workflow,
    Instant from,
    long intervalMillis,
    int oneIn,
    List<TemplateCurve> templates,
    int moreTemplates) {
  public StepTimeline {
    templates = List.copyOf(templates);
  }

  /**
   * The running steps of a template.
   *
   * @param template its name
   * @param running for each interval, how many ran on the average, rounded to tenths
   */
  public record TemplateCurve(String template, List<Double> running) {
    public TemplateCurve {
      running = List.copyOf(running);
    }
  }
}
