package io.millrace.manager.workflow;

import io.millrace.api.workflow.WorkflowStepState;
import io.millrace.manager.graph.StepNumbers;
import io.millrace.manager.graph.WorkflowPlan;
import io.millrace.manager.workflow.WorkflowDao.WorkflowRow;
import java.util.Collection;
import org.jdbi.v3.core.Handle;

/**
 * Takes back released steps that have no job yet: they wait again, with all that they need met, so
 * that a resumption releases them. Under the lock of the workflow's row; one thread.
 */
final class StepWithdrawal {
  /** Steps that one call takes back, roughly. */
  private static final int MAX = 20_000;

  private final Handle handle;
  private final WorkflowRow workflow;
  private final StepStates states;
  private final ReleaseDao releases = new ReleaseDao();

  StepWithdrawal(Handle handle, WorkflowRow workflow, WorkflowPlan plan) {
    this.handle = handle;
    this.workflow = workflow;
    this.states = new StepStates(handle, workflow, plan);
  }

  /** Takes back steps of these arrays; returns the workflow's row as it is then. */
  WorkflowRow withdraw(Collection<Long> arrays) {
    int taken = 0;
    for (long array : releases.waiting(handle, arrays).keySet()) {
      while (taken < MAX) {
        int[] part = releases.take(handle, array, StepNumbers.MAX_STEPS);
        if (part.length == 0) {
          break;
        }
        taken += part.length;
        takeBack(part);
      }
    }
    return taken == 0 ? workflow : states.write();
  }

  private void takeBack(int[] numbers) {
    states.load(numbers);
    for (int step : numbers) {
      if (states.state(step) == WorkflowStepState.RELEASED) {
        states.withdraw(step);
      }
    }
  }
}
