package io.millrace.api.workflow;

import io.millrace.api.DataSize;
import java.time.Duration;
import java.util.List;

/**
 * What the steps of a workflow asked for, used, and were given after they had exceeded it (J-13).
 *
 * @param id the workflow's number
 * @param name the workflow's name
 * @param templates the most wasteful first: by memory that was asked for and not used, then by
 *     processors
 */
public record WorkflowResources(long id, String name, List<TemplateResources> templates) {
  /**
   * The resources of a template.
   *
   * @param name the template
   * @param asked what each of its steps asks for
   * @param measured what the attempts that succeeded used
   * @param adjusted requests that were raised
   * @param next what to ask for next time; of what is not known, null
   * @param unusedMemoryHours gigabytes of memory that were asked for and not used, times hours
   * @param unusedCpuHours processors that were asked for and not used, times hours
   */
  public record TemplateResources(
      String name,
      RequestedResources asked,
      MeasuredResources measured,
      AdjustedResources adjusted,
      RequestedResources next,
      double unusedMemoryHours,
      double unusedCpuHours) {}

  /**
   * A request.
   *
   * @param memory null for no limit
   * @param cpu processors; null for what earlier runs used
   * @param timeout null for no limit
   */
  public record RequestedResources(DataSize memory, Double cpu, Duration timeout) {}

  /**
   * Measurements.
   *
   * @param steps steps that succeeded
   * @param measured those of them whose memory was measured: others ended before the first sample
   * @param memoryMean mean of their largest resident memory; null if nothing was measured
   * @param memoryMax the largest of them; null if nothing was measured
   * @param runMean mean run time; null if no step succeeded
   * @param runMax the longest run time; null if no step succeeded
   * @param cpuMean mean processor time of all steps; null if nothing was measured
   */
  public record MeasuredResources(
      long steps,
      long measured,
      DataSize memoryMean,
      DataSize memoryMax,
      Duration runMean,
      Duration runMax,
      Duration cpuMean) {}

  /**
   * Adjusted requests.
   *
   * @param steps steps whose requests were raised
   * @param memory the highest memory; null if no step states any
   * @param timeout the highest time limit; null if no step states any
   */
  public record AdjustedResources(long steps, DataSize memory, Duration timeout) {}
}
