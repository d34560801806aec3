package io.millrace.cli.migration;

import io.millrace.api.DataSize;
import io.millrace.api.job.RetryPolicy;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * A step of another system's graph, with its texts as they are to reach its process.
 *
 * @param name unique in its graph
 * @param shape what it has in common with the other steps of its template
 * @param texts the arguments of its command, the values of its variables and its working directory,
 *     in the order of the shape
 * @param needs the positions of the steps that must have succeeded
 * @param seconds how long it took when it was recorded; NaN if unknown
 */
public record ImportedStep(
    String name, StepShape shape, List<String> texts, List<Integer> needs, double seconds) {
  public ImportedStep {
    texts = List.copyOf(texts);
    needs = List.copyOf(needs);
  }

  /**
   * What steps have in common that become steps of one template.
   *
   * @param kind from which the template's name is made
   * @param program the first word of the command
   * @param arguments how many further words it has
   * @param variables the names of its variables, sorted
   * @param directory whether it has a working directory
   * @param label the name of its argument if it has only one; null for a general one
   * @param settings all that is not text
   */
  public record StepShape(
      String kind,
      String program,
      int arguments,
      List<String> variables,
      boolean directory,
      String label,
      StepSettings settings) {}

  /**
   * How a step runs.
   *
   * @param slots slots that it takes
   * @param cpu processors; null for none said
   * @param memory of all its processes; null for none said
   * @param resources of its node
   * @param priority of its job
   * @param share whose fair share it is charged to; null for the owner's
   * @param timeout of an attempt; null for none
   * @param retry when it is tried again
   * @param group the name of a group of which only some steps run at the same time; null for none
   * @param maxRunning how many of that group; null for any number
   */
  public record StepSettings(
      int slots,
      Double cpu,
      DataSize memory,
      Map<String, Integer> resources,
      int priority,
      String share,
      Duration timeout,
      RetryPolicy retry,
      String group,
      Integer maxRunning) {
    /** Those of a step of which nothing is said. */
    static final StepSettings NONE =
        new StepSettings(1, null, null, Map.of(), 0, null, null, RetryPolicy.NONE, null, null);
  }
}
