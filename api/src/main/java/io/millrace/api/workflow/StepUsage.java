package io.millrace.api.workflow;

import java.util.List;

/**
 * What single steps of a workflow that succeeded used, beside what they had asked for: some of
 * them, evenly spread (J-13).
 *
 * @param workflow its number
 * @param templates those of which most steps succeeded, in the order of the definition
 * @param moreTemplates how many templates with steps that succeeded are left out
 */
public record StepUsage(long workflow, List<TemplateUsage> templates, int moreTemplates) {
  /** The most points of an answer. */
  public static final int MAX_POINTS = 1000;

  public StepUsage {
    templates = List.copyOf(templates);
  }

  /**
   * Steps of a template.
   *
   * @param template its name
   * @param succeeded how many of its steps have succeeded
   * @param timeoutMillis the time limit that its steps ask for; null for none
   * @param points some of them, by rising number
   */
  public record TemplateUsage(
      String template, long succeeded, Long timeoutMillis, List<UsagePoint> points) {
    public TemplateUsage {
      points = List.copyOf(points);
    }
  }

  /**
   * A step whose use was measured.
   *
   * @param step its number
   * @param askedBytes memory that it asked for at its last try; null for none
   * @param memoryBytes its largest resident memory
   * @param cpuMillis its processor time
   * @param runMillis its run time
   */
  public record UsagePoint(
      int step, Long askedBytes, long memoryBytes, long cpuMillis, long runMillis) {}
}
