package io.millrace.manager.workflow;

import io.millrace.manager.graph.GivenLists;
import io.millrace.manager.graph.GivenLists.WrongListException;
import io.millrace.manager.graph.WorkflowPlan;
import io.millrace.manager.graph.WorkflowPlan.PlannedTemplate;
import io.millrace.manager.workflow.TemplateDao.TemplateRow;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntFunction;
import org.jdbi.v3.core.Handle;

/**
 * Takes the lists that a step gives for templates, in the transaction that carries out its end. One
 * thread; blocks on the database.
 */
final class ListBinding {
  private final Handle handle;
  private final long workflow;
  private final WorkflowPlan plan;
  private final IntFunction<TemplateRow> rows;
  private final StepDao steps = new StepDao();
  private final ListDao lists = new ListDao();
  private final EdgeDao edges = new EdgeDao();

  /**
   * For one round.
   *
   * @param rows the row of a template by its number, which is changed
   */
  ListBinding(Handle handle, long workflow, WorkflowPlan plan, IntFunction<TemplateRow> rows) {
    this.handle = handle;
    this.workflow = workflow;
    this.plan = plan;
    this.rows = rows;
  }

  /** Whether the step gave the lists that templates take from it, which are kept then. */
  boolean take(int step, PlannedTemplate giver) {
    if (giver.takers().isEmpty()) {
      return true;
    }
    Map<String, String> given = steps.outputs(handle, workflow, step);
    Map<PlannedTemplate, List<String>> taken = new LinkedHashMap<>();
    for (int number : giver.takers()) {
      PlannedTemplate taker = plan.templates().get(number);
      try {
        taken.put(taker, list(taker, given));
      } catch (WrongListException e) {
        lists.refused(handle, workflow, number, e.getMessage());
      }
    }
    if (taken.size() < giver.takers().size()) {
      return false;
    }
    taken.forEach(this::keep);
    return true;
  }

  /** Whether all lists that templates take from its step are known, which are kept then. */
  boolean keep(PlannedTemplate giver) {
    if (giver.takers().stream().anyMatch(taker -> !isKnown(taker))) {
      return false;
    }
    giver.takers().forEach(taker -> lists.refused(handle, workflow, taker, null));
    return true;
  }

  private boolean isKnown(int taker) {
    return rows.apply(taker).steps != TemplateRow.UNKNOWN;
  }

  private List<String> list(PlannedTemplate taker, Map<String, String> given)
      throws WrongListException {
    List<String> values = GivenLists.read(taker, given);
    TemplateRow row = rows.apply(taker.number());
    boolean used = row.unmetTemplates == TemplateRow.PASSED || (row.steps > 0 && row.released > 0);
    if (used && !lists.values(handle, workflow, row.template()).equals(Optional.of(values))) {
      throw new WrongListException(
          "gives a list '%s' that differs from the one before, with which steps of template '%s' have run; 'millrace workflow reset' of its step '--with-dependents' takes the new one"
              .formatted(taker.given().value(), taker.name()));
    }
    return values;
  }

  private void keep(PlannedTemplate taker, List<String> values) {
    TemplateRow row = rows.apply(taker.number());
    Optional<List<String>> before = lists.values(handle, workflow, row.template());
    if (row.steps != TemplateRow.UNKNOWN && !before.equals(Optional.of(values))) {
      // None of its steps has succeeded, so that all counters begin anew.
      taker.before().forEach(relation -> steps.forgetCounters(handle, workflow, relation.number()));
    }
    row.steps = taker.sizeWith(values.size());
    lists.known(handle, workflow, row.template(), taker.size() - row.steps, values);
    edges.steps(handle, workflow, row.template(), row.steps);
  }
}
