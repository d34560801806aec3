package io.millrace.manager.workflow;

import io.millrace.manager.graph.ListedSteps;
import io.millrace.manager.graph.ListedSteps.StoredStep;
import io.millrace.manager.workflow.StepDao.StepRow;
import io.millrace.manager.workflow.WorkflowDao.WorkflowRow;
import org.jdbi.v3.core.Handle;

/** Reads listed steps; a row is read once for those of it that follow one another. One thread. */
final class StepReader {
  private final Handle handle;
  private final StepDao steps = new StepDao();
  private final WorkflowRow workflow;
  private StepRow row;

  StepReader(Handle handle, WorkflowRow workflow) {
    this.handle = handle;
    this.workflow = workflow;
  }

  /** The listed step of that number in the workflow. */
  StoredStep read(int step) {
    int listed = step - workflow.fixedSteps();
    if (row == null || listed < row.firstListed() || listed >= row.firstListed() + row.steps()) {
      row = steps.rowOf(handle, workflow.id(), listed);
    }
    return ListedSteps.decode(row.content(), listed - row.firstListed());
  }
}
