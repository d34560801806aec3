package io.millrace.manager.workflow;

import io.millrace.manager.job.ReleasedElements.ElementHold;
import io.millrace.manager.workflow.TemplateBreaker.State;
import io.millrace.manager.workflow.TemplateDao.TemplateRow;
import io.millrace.manager.workflow.WorkflowDao.WorkflowRow;
import java.util.ArrayList;
import java.util.List;

/**
 * What keeps released steps of a template from waiting for a slot, whether they have jobs or not.
 */
final class StepHolds {
  private StepHolds() {}

  /**
   * The decisive ones; empty if steps only wait for others of their array.
   *
   * @param breaker that of the template; null if it is closed
   */
  static List<ElementHold> of(WorkflowRow workflow, TemplateRow row, TemplateBreaker breaker) {
    if (workflow.paused()) {
      return List.of(new ElementHold(WorkflowMessages.paused(workflow.id()), true));
    }
    List<ElementHold> holds = new ArrayList<>();
    boolean none = isZero(row.maxRunning()) || isZero(workflow.maxRunning());
    if (breaker != null) {
      boolean open = breaker.state() == State.OPEN;
      if (open || !none) {
        // How many are tried at a time does not matter while none may start.
        holds.add(new ElementHold(TemplateBreakers.describe(workflow, row, breaker), open));
      }
    }
    if (isZero(row.maxRunning())) {
      holds.add(limit(0, row.name()));
    }
    if (isZero(workflow.maxRunning())) {
      holds.add(limit(0, null));
    }
    if (holds.isEmpty() && row.maxRunning() != null) {
      holds.add(limit(row.maxRunning(), row.name()));
    } else if (holds.isEmpty() && workflow.maxRunning() != null) {
      holds.add(limit(workflow.maxRunning(), null));
    }
    return holds;
  }

  private static ElementHold limit(int most, String template) {
    return new ElementHold(WorkflowMessages.limited(most, template), most == 0);
  }

  private static boolean isZero(Integer limit) {
    return limit != null && limit == 0;
  }
}
