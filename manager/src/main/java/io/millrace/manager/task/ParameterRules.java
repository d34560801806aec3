package io.millrace.manager.task;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.job.JobKind;
import io.millrace.api.job.JobSpec;
import io.millrace.api.task.RunParameters;
import io.millrace.api.task.TaskDefinition;
import io.millrace.api.workflow.WorkflowSpec.StepTemplate;
import io.millrace.manager.job.JobRules;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Adds the parameters of a run to the definition of its task. They change the environment and the
 * arguments of its command, and nothing else of how it runs: neither user, secrets, resources nor
 * limits. Pure.
 */
final class ParameterRules {
  private ParameterRules() {}

  /** The definition as the run uses it. */
  static TaskDefinition applied(TaskDefinition task, RunParameters parameters) {
    JobSpec job = task.job();
    // Those of a workflow are added when it is submitted.
    if (parameters.none() || job == null) {
      return task;
    }
    Map<String, String> env = new HashMap<>(job.env());
    env.putAll(parameters.env());
    List<String> command = new ArrayList<>(job.command());
    command.addAll(parameters.arguments());
    return task.withJob(job.draft().env(env).argv(command).spec());
  }

  /**
   * Checks that the task can run with them.
   *
   * @throws MillraceException INVALID_REQUEST that says why it cannot
   */
  static void check(TaskDefinition task, RunParameters parameters) {
    if (parameters.none()) {
      return;
    }
    if (task.workflow() != null) {
      checkWorkflow(task, parameters);
      return;
    }
    JobSpec job = task.job();
    if (job.command() == null) {
      throw refuse(
          "task %s runs a built-in program, which has neither an environment nor arguments"
              .formatted(task.name()));
    }
    refuseSecrets(task, job, parameters);
    List<String> problems = JobRules.problems(JobKind.SUBMITTED, applied(task, parameters).job());
    if (!problems.isEmpty()) {
      throw refuse(problems.get(0));
    }
  }

  private static void refuseSecrets(TaskDefinition task, JobSpec job, RunParameters parameters) {
    parameters.env().keySet().stream()
        .filter(job.secrets()::containsKey)
        .sorted()
        .findFirst()
        .ifPresent(
            name -> {
              throw refuse(
                  ("env: %s is one of the secrets of task %s and cannot be replaced; change the"
                          + " secret on the nodes, or the definition")
                      .formatted(name, task.name()));
            });
  }

  private static void checkWorkflow(TaskDefinition task, RunParameters parameters) {
    if (!parameters.arguments().isEmpty()) {
      throw refuse(
          "task %s runs a workflow, whose commands take no further arguments; use --env"
              .formatted(task.name()));
    }
    for (StepTemplate template : task.workflow().templates().values()) {
      JobSpec job = template.job();
      refuseSecrets(task, job, parameters);
      Map<String, String> env = new HashMap<>(job.env());
      env.putAll(parameters.env());
      List<String> problems = JobRules.problems(JobKind.SUBMITTED, job.draft().env(env).spec());
      if (!problems.isEmpty()) {
        throw refuse(problems.get(0));
      }
    }
  }

  private static MillraceException refuse(String message) {
    return new MillraceException(ErrorCode.INVALID_REQUEST, message);
  }
}
