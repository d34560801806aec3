package io.millrace.manager.workflow;

import io.millrace.manager.graph.WorkflowPlan;
import io.millrace.manager.graph.WorkflowPlan.PlannedTemplate;
import io.millrace.manager.graph.WorkflowPlan.Relation;
import io.millrace.manager.workflow.StepOpening.OpeningKind;
import io.millrace.manager.workflow.TemplateDao.TemplateRow;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.IntFunction;

/**
 * Counts, for templates, which of those that they need as a whole are complete. A template that its
 * list left without steps is complete as soon as all that it needs is, so that completion passes
 * through it. One thread.
 */
final class TemplateCounters {
  private final WorkflowPlan plan;
  private final IntFunction<TemplateRow> rows;
  private final boolean listed;
  private final Consumer<StepOpening> openings;

  /**
   * A counter of one round.
   *
   * @param rows the row of a template by its number, which is changed
   * @param listed whether the workflow has listed steps
   * @param openings receives what opens or closes for steps
   */
  TemplateCounters(
      WorkflowPlan plan,
      IntFunction<TemplateRow> rows,
      boolean listed,
      Consumer<StepOpening> openings) {
    this.plan = plan;
    this.rows = rows;
    this.listed = listed;
    this.openings = openings;
  }

  /** All steps of a template have succeeded. */
  void complete(PlannedTemplate completed) {
    Deque<PlannedTemplate> all = new ArrayDeque<>(List.of(completed));
    while (!all.isEmpty()) {
      PlannedTemplate template = all.removeFirst();
      Set<PlannedTemplate> next = new LinkedHashSet<>();
      for (int number : template.neededAll()) {
        TemplateRow row = rows.apply(number);
        row.unmetTemplates--;
        if (row.unmetTemplates == 0) {
          openings.accept(StepOpening.of(OpeningKind.TEMPLATES_MET, number, 0));
        }
        next.add(plan.templates().get(number));
      }
      boolean empty = template.given() != null && rows.apply(template.number()).steps == 0;
      for (Relation relation : template.before()) {
        PlannedTemplate to = plan.templates().get(relation.to());
        next.add(to);
        if (empty) {
          openings.accept(StepOpening.of(OpeningKind.EMPTY, relation.number(), 0));
        }
      }
      if (listed) {
        openings.accept(StepOpening.of(OpeningKind.WHOLE_TEMPLATE, template.number(), 0));
      }
      // A template that its list left without steps is complete when all that it needs is.
      for (PlannedTemplate one : next) {
        if (one.given() != null && passes(one)) {
          rows.apply(one.number()).unmetTemplates = TemplateRow.PASSED;
          all.add(one);
        }
      }
    }
  }

  /** Not all steps of a template have succeeded any more: the reverse of {@link #complete}. */
  void incomplete(PlannedTemplate before) {
    Deque<PlannedTemplate> all = new ArrayDeque<>(List.of(before));
    while (!all.isEmpty()) {
      PlannedTemplate template = all.removeFirst();
      for (int number : template.neededAll()) {
        unpass(number).ifPresent(all::add);
        rows.apply(number).unmetTemplates++;
      }
      boolean empty = template.given() != null && rows.apply(template.number()).steps == 0;
      for (Relation relation : template.before()) {
        unpass(relation.to()).ifPresent(all::add);
        // Whether or not it has steps now: its own list may give some after a reset.
        if (empty) {
          openings.accept(StepOpening.of(OpeningKind.EMPTY_LOST, relation.number(), 0));
        }
      }
      if (listed) {
        openings.accept(StepOpening.of(OpeningKind.WHOLE_TEMPLATE_LOST, template.number(), 0));
      }
    }
  }

  // A template without steps that had passed has needs again.
  private Optional<PlannedTemplate> unpass(int number) {
    TemplateRow row = rows.apply(number);
    if (row.unmetTemplates != TemplateRow.PASSED) {
      return Optional.empty();
    }
    row.unmetTemplates = 0;
    return Optional.of(plan.templates().get(number));
  }

  private boolean passes(PlannedTemplate template) {
    TemplateRow row = rows.apply(template.number());
    return row.steps == 0
        && row.unmetTemplates == 0
        && template.after().stream().allMatch(relation -> isDone(relation.from()));
  }

  private boolean isDone(int template) {
    TemplateRow row = rows.apply(template);
    boolean empty = plan.templates().get(template).given() != null && row.steps == 0;
    return empty ? row.unmetTemplates == TemplateRow.PASSED : row.complete();
  }
}
