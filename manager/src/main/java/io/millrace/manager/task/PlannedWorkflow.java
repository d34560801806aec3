package io.millrace.manager.task;

import io.millrace.api.job.JobSpec;
import io.millrace.api.task.TaskDefinition;
import io.millrace.api.workflow.WorkflowDefinition;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The workflow that a run of a task submits: the values of its arguments with the planned time, and
 * its jobs with the variables that the jobs of tasks have. The same run always submits the same.
 * Pure.
 */
final class PlannedWorkflow {
  private static final String TIME = "{planned}";
  private static final String DATE = "{planned.date}";
  private static final String PREFIX = "{planned.";

  private PlannedWorkflow() {}

  /**
   * The workflow of a run.
   *
   * @param env variables that the run adds to the definition's
   */
  static WorkflowDefinition of(TaskDefinition task, RunRow run, Map<String, String> env) {
    Map<String, String> variables = new HashMap<>(env);
    variables.putAll(TaskSpecs.variables(task, run.id(), run.plannedAt()));
    Map<String, String> escaped = new HashMap<>();
    variables.forEach((name, value) -> escaped.put(name, escaped(value)));
    return task.workflow()
        .changed(
            task.name(),
            value -> planned(value, run.plannedAt(), zone(task)),
            job -> with(job, escaped),
            job -> with(job, variables));
  }

  private static ZoneId zone(TaskDefinition task) {
    return task.schedule() == null ? ZoneOffset.UTC : ZoneId.of(task.schedule().zone());
  }

  private static String planned(String value, Instant planned, ZoneId zone) {
    return value
        .replace(TIME, planned.toString())
        .replace(DATE, planned.atZone(zone).toLocalDate().toString());
  }

  // Braces in environments of steps are read as placeholders.
  private static String escaped(String value) {
    return value.replace("{", "{{").replace("}", "}}");
  }

  private static JobSpec with(JobSpec job, Map<String, String> variables) {
    Map<String, String> env = new HashMap<>(job.env());
    env.putAll(variables);
    return job.draft().env(env).spec();
  }

  /** Values that look like the planned time and are not; each begins with the path. */
  static List<String> problems(WorkflowDefinition workflow) {
    List<String> problems = new ArrayList<>();
    workflow
        .arguments()
        .forEach(
            (name, value) -> {
              if (value.replace(DATE, "").contains(PREFIX)) {
                problems.add(
                    "arguments.%s: of the planned time there are %s and %s"
                        .formatted(name, TIME, DATE));
              }
            });
    return problems;
  }
}
