package io.millrace.manager.task;

import io.millrace.api.task.RunParameters;
import io.millrace.api.task.TaskRunView;
import io.millrace.api.task.TaskRunView.RunWorkflow;
import io.millrace.api.workflow.WorkflowState;
import io.millrace.api.workflow.WorkflowView;
import io.millrace.api.workflow.WorkflowView.StepProgress;
import io.millrace.manager.workflow.WorkflowControl;
import io.millrace.manager.workflow.WorkflowViews;
import java.util.List;
import java.util.Optional;
import org.jdbi.v3.core.Handle;

/**
 * The workflows of runs whose task has one instead of a job, in the caller's transaction. Other
 * runs have none. Thread-safe.
 */
public final class RunWorkflows {
  private final WorkflowControl control;

  public RunWorkflows(WorkflowControl control) {
    this.control = control;
  }

  /** The workflow that a run submitted, unless it was deleted. */
  Optional<WorkflowView> of(Handle handle, RunRow run) {
    return RunWorkflowDao.find(handle, run.id())
        .flatMap(workflow -> WorkflowViews.find(handle, workflow));
  }

  /** A run as shown, with what its workflow has done so far. */
  static TaskRunView shown(Handle handle, RunRow run, RunParameters parameters) {
    Optional<Long> id = RunWorkflowDao.find(handle, run.id());
    Optional<WorkflowView> found = id.flatMap(one -> WorkflowViews.find(handle, one));
    RunWorkflow workflow =
        id.map(one -> new RunWorkflow(one, found.map(WorkflowView::state).orElse(null)))
            .orElse(null);
    if (run.state().ended() || found.isEmpty()) {
      return run.view(0, parameters, workflow);
    }
    StepProgress steps = found.get().progress();
    return run.withTotal(steps.steps())
        .withDone(steps.succeeded())
        .withFailed(steps.failed())
        .view(steps.released(), parameters, workflow);
  }

  /** Whether nothing of it runs: it has ended, was deleted, or was never submitted. */
  boolean ended(Handle handle, RunRow run) {
    return of(handle, run).map(workflow -> workflow.state().ended()).orElse(true);
  }

  /** Cancels what the run submitted; one that has ended is not changed. */
  void cancel(Handle handle, RunRow run, String reason) {
    of(handle, run)
        .ifPresent(workflow -> control.cancel(handle, workflow.id(), "task:" + run.task(), reason));
  }

  /**
   * Prepares a run that ended to be continued: its workflow will be submitted again, which resumes
   * one that is still there. One that has succeeded is kept.
   */
  void again(Handle handle, RunRow run) {
    boolean succeeded =
        of(handle, run).filter(workflow -> workflow.state() == WorkflowState.SUCCEEDED).isPresent();
    if (!succeeded) {
      RunWorkflowDao.delete(handle, List.of(run.id()));
    }
  }

  /** Records how far it came, for the time after its deletion. */
  void record(Handle handle, RunRow run) {
    of(handle, run)
        .map(WorkflowView::progress)
        .ifPresent(
            steps ->
                RunDao.progress(
                    handle, run.id(), steps.steps(), steps.succeeded(), steps.failed()));
  }
}
