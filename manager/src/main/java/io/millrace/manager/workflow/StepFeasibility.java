package io.millrace.manager.workflow;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.Pure;
import io.millrace.api.job.JobSpec;
import io.millrace.api.workflow.WorkflowSpec;
import io.millrace.manager.job.PoolCapacity;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Whether nodes could ever run the steps of a workflow (J-02: validation). Templates that ask for
 * the same are compared once. One thread.
 */
@Pure
final class StepFeasibility {
  private static final int SHOWN = 20;

  private final PoolCapacity pools;
  private final Map<AskedResources, Optional<String>> known = new HashMap<>();

  StepFeasibility(PoolCapacity pools) {
    this.pools = pools;
  }

  private record AskedResources(
      String pool, int slots, Double cpu, Long memoryBytes, Map<String, Integer> resources) {
    static AskedResources of(JobSpec job) {
      return new AskedResources(
          job.pool(),
          job.slots(),
          job.cpu(),
          job.memory() == null ? null : (Long) job.memory().bytes(),
          job.resources());
    }
  }

  private Optional<String> lacking(JobSpec job) {
    return known.computeIfAbsent(AskedResources.of(job), asked -> pools.lacking(job));
  }

  /**
   * Refuses a workflow with steps that no node could run. Steps of pools without nodes wait.
   *
   * @param advice what to do, where it is submitted
   * @throws MillraceException INFEASIBLE that names the templates, what they ask for, and the
   *     largest nodes
   */
  void require(WorkflowSpec workflow, String advice) {
    List<String> problems = new ArrayList<>();
    workflow
        .templates()
        .forEach(
            (name, template) ->
                lacking(template.job())
                    .ifPresent(lack -> problems.add("templates.%s.job: %s".formatted(name, lack))));
    if (!problems.isEmpty()) {
      throw new MillraceException(
          ErrorCode.INFEASIBLE,
          String.join("\n", problems.subList(0, Math.min(SHOWN, problems.size())))
              + (problems.size() > SHOWN
                  ? "\nand " + (problems.size() - SHOWN) + " more templates"
                  : "")
              + "\n"
              + advice);
    }
  }

  /**
   * Templates whose steps would wait for other nodes.
   *
   * @param open which templates have steps that have not ended
   * @return at most some, human-readable
   */
  List<String> warnings(WorkflowSpec workflow, Predicate<String> open) {
    List<String> warnings = new ArrayList<>();
    workflow
        .templates()
        .forEach(
            (name, template) -> {
              if (warnings.size() < SHOWN && open.test(name)) {
                warning(template.job())
                    .ifPresent(text -> warnings.add("'%s' %s".formatted(name, text)));
              }
            });
    return warnings;
  }

  private Optional<String> warning(JobSpec job) {
    return pools.hasNodes(job.pool())
        ? lacking(job)
        : Optional.of("waits for pool %s, which has no node".formatted(job.pool()));
  }
}
