package io.millrace.manager.workflow;

import io.millrace.api.MessageText;
import io.millrace.api.insight.Overview.Alert;
import io.millrace.api.workflow.WorkflowView.TemplatePause;
import io.millrace.manager.workflow.TemplateBreaker.State;
import io.millrace.manager.workflow.TemplateBreakerDao.BreakerRow;
import io.millrace.manager.workflow.TemplateDao.TemplateRow;
import io.millrace.manager.workflow.WorkflowDao.WorkflowRow;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jdbi.v3.core.Handle;

/** What breakers of templates mean for others, in the caller's transaction. Stateless. */
final class TemplateBreakers {
  private static final int MAX_ALERTS = 100;

  private final TemplateBreakerDao breakers = new TemplateBreakerDao();

  /** Those that are not closed, by number of the template; read only if steps have failed. */
  Map<Integer, TemplateBreaker> effective(
      Handle handle, long workflow, int epoch, int failedSteps) {
    if (failedSteps == 0) {
      return Map.of();
    }
    Map<Integer, TemplateBreaker> found = breakers.of(handle, workflow);
    found.values().removeIf(breaker -> breaker.state() == State.CLOSED || breaker.epoch() != epoch);
    return found;
  }

  /** The limit of a template with its breaker; null for any number. */
  static Integer limit(TemplateRow row, Map<Integer, TemplateBreaker> effective) {
    TemplateBreaker breaker = effective.get(row.template());
    return breaker == null ? row.maxRunning() : breaker.limited(row.maxRunning());
  }

  // Of a template all of whose steps have ended it holds nothing back, and nothing can be tried.
  private static boolean holdsBack(TemplateBreaker breaker, TemplateRow row) {
    return breaker != null && row.unended() > 0;
  }

  /** As shown; null if none of its steps are held back. */
  static TemplatePause pause(TemplateRow row, Map<Integer, TemplateBreaker> effective) {
    TemplateBreaker breaker = effective.get(row.template());
    return holdsBack(breaker, row)
        ? new TemplatePause(breaker.reason(), breaker.since(), breaker.state() == State.PROBING)
        : null;
  }

  /** Lets some steps of a paused template be tried; false if it is not paused. */
  boolean probe(Handle handle, WorkflowRow workflow, TemplateRow row, Instant now) {
    TemplateBreaker breaker =
        effective(handle, workflow.id(), workflow.epoch(), workflow.failed()).get(row.template());
    if (breaker == null || breaker.state() != State.OPEN) {
      return false;
    }
    breakers.write(
        handle, row.workflow(), row.template(), breaker.probing(row.succeeded, row.failed, now));
    return true;
  }

  /** Why steps of it wait, and how to go on. */
  static String describe(WorkflowRow workflow, TemplateRow row, TemplateBreaker breaker) {
    return breaker.state() == State.OPEN
        ? "template '%s' is paused, because %s; 'millrace workflow errors %d' shows how, 'millrace workflow resume %d --template %s' tries %d steps at a time"
            .formatted(
                row.name(),
                breaker.reason(),
                workflow.id(),
                workflow.id(),
                row.name(),
                TemplateBreaker.PROBES)
        : "template '%s' was paused, because %s; at most %d of its steps run at the same time until one succeeds, and if %d fail, it is paused again"
            .formatted(
                row.name(),
                breaker.reason(),
                breaker.limited(row.maxRunning()),
                TemplateBreaker.PROBES);
  }

  /** Templates that are paused. */
  List<Alert> alerts(Handle handle) {
    List<Alert> alerts = new ArrayList<>();
    WorkflowDao workflows = new WorkflowDao();
    TemplateDao templates = new TemplateDao();
    for (BreakerRow open : breakers.in(handle, State.OPEN, MAX_ALERTS)) {
      workflows
          .find(handle, open.workflow())
          .ifPresent(
              workflow -> {
                TemplateRow row =
                    templates
                        .find(handle, workflow.id(), List.of(open.template()))
                        .get(open.template());
                TemplateBreaker breaker =
                    effective(handle, workflow.id(), workflow.epoch(), workflow.failed())
                        .get(open.template());
                if (holdsBack(breaker, row) && breaker.state() == State.OPEN) {
                  alerts.add(
                      new Alert(
                              "TEMPLATE_PAUSED",
                              workflow.id() + "/" + row.name(),
                              "workflow %d (%s), which is %s: %s"
                                  .formatted(
                                      workflow.id(),
                                      workflow.name(),
                                      MessageText.of(workflow.state()),
                                      describe(workflow, row, breaker)))
                          .since(breaker.since()));
                }
              });
    }
    return alerts;
  }
}
