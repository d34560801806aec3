package io.millrace.manager.workflow;

import io.millrace.api.MillraceException;
import io.millrace.api.job.JobKind;
import io.millrace.api.job.JobSpec;
import io.millrace.api.workflow.WorkflowState;
import io.millrace.manager.job.JobLedger;
import io.millrace.manager.job.JobRules;
import io.millrace.manager.workflow.WorkflowDao.WorkflowRow;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jdbi.v3.core.Handle;

/**
 * The job that the end of a workflow submits, {@code onSuccess} or {@code onFailure} (J-15).
 * Stateless.
 */
final class FollowUpJob {
  private static final String SAVEPOINT = "follow_up_job";
  private static final int CLIENT_ERRORS_END = 500;

  private FollowUpJob() {}

  /** Why it could not be submitted at some later time; empty if it can. */
  static List<String> problems(JobSpec job) {
    List<String> problems = new ArrayList<>();
    Map<String, Boolean> refused = new HashMap<>();
    refused.put("single", job.single() != null);
    refused.put("after", !job.after().isEmpty());
    refused.put("notBefore", job.notBefore() != null);
    refused.put("deadline", job.deadline() != null);
    refused.put("array", job.array() != null);
    refused.put("restart", job.restart());
    refused.values().removeIf(present -> !present);
    if (!refused.isEmpty()) {
      problems.add(
          "not allowed in a job that the end of a workflow submits: %s; leave that out"
              .formatted(String.join(", ", refused.keySet().stream().sorted().toList())));
    }
    problems.addAll(JobRules.problems(JobKind.SUBMITTED, withRun(job, 0, WorkflowState.SUCCEEDED)));
    return problems;
  }

  private static JobSpec withRun(JobSpec job, long workflow, WorkflowState state) {
    Map<String, String> env = new HashMap<>(job.env());
    env.put("MILLRACE_WORKFLOW", Long.toString(workflow));
    env.put("MILLRACE_WORKFLOW_STATE", state.name());
    return job.draft().env(env).spec();
  }

  /**
   * Submits it in the caller's transaction; returns why it is refused, in which case nothing of it
   * is left and the end of the workflow stands.
   */
  static Optional<String> submit(
      Handle handle, JobLedger ledger, WorkflowRow workflow, WorkflowState state, JobSpec job) {
    handle.savepoint(SAVEPOINT);
    try {
      JobSpec spec = withRun(job, workflow.id(), state);
      ledger.submit(handle, JobKind.SUBMITTED, workflow.owner(), List.of(spec));
      handle.releaseSavepoint(SAVEPOINT);
      return Optional.empty();
    } catch (MillraceException e) {
      if (e.code().status() >= CLIENT_ERRORS_END) {
        throw e;
      }
      handle.rollbackToSavepoint(SAVEPOINT);
      return Optional.of(
          "its %s job was refused: %s"
              .formatted(
                  state == WorkflowState.SUCCEEDED ? "onSuccess" : "onFailure", e.getMessage()));
    }
  }
}
