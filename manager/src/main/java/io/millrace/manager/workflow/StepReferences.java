package io.millrace.manager.workflow;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.ShownText;
import io.millrace.api.workflow.ValueList;
import io.millrace.api.workflow.WorkflowSpec.StepTemplate;
import io.millrace.manager.graph.ListedSteps;
import io.millrace.manager.graph.ListedSteps.StoredStep;
import io.millrace.manager.graph.WorkflowPlan.PlannedTemplate;
import io.millrace.manager.workflow.StepDao.StepRow;
import io.millrace.manager.workflow.TemplateDao.TemplateRow;
import io.millrace.manager.workflow.WorkflowDao.WorkflowRow;
import io.millrace.manager.workflow.WorkflowRevisions.WorkflowRevision;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.TreeMap;
import org.jdbi.v3.core.Handle;

/**
 * Finds a step by what users call it: its number, {@code template} for the only step of a template,
 * {@code template[value,…]} for one that lists make, or the name of a listed step. Names are looked
 * for among the listed steps, so that in a workflow with very many only numbers work. One thread.
 */
final class StepReferences {
  /** The most listed steps among which a name is looked for. */
  static final int MAX_NAMED = 100_000;

  private static final int ROWS = 64;

  private final WorkflowRow workflow;
  private final WorkflowRevision revision;
  private final Map<Integer, TemplateRow> rows = new TreeMap<>();
  private final StepDao steps = new StepDao();
  private final ListDao givenLists = new ListDao();

  StepReferences(WorkflowRow workflow, WorkflowRevision revision, Collection<TemplateRow> rows) {
    this.workflow = workflow;
    this.revision = revision;
    rows.forEach(row -> this.rows.put(row.template(), row));
  }

  /**
   * The number of the step.
   *
   * @throws MillraceException UNKNOWN_STEP with what is wrong
   */
  int number(Handle handle, String reference) {
    OptionalInt number = asNumber(reference);
    if (number.isPresent()) {
      return number.getAsInt();
    }
    for (TemplateRow row : rows.values()) {
      if (reference.equals(row.name())) {
        return only(row);
      }
    }
    int bracket = reference.indexOf('[');
    if (bracket > 0 && reference.endsWith("]")) {
      String name = reference.substring(0, bracket);
      for (PlannedTemplate template : revision.plan().templates()) {
        if (template.name().equals(name)) {
          return ofLists(
              handle, template, reference.substring(bracket + 1, reference.length() - 1));
        }
      }
    }
    return named(handle, reference);
  }

  /**
   * The number of a step that exists.
   *
   * @throws MillraceException UNKNOWN_STEP with what is wrong
   */
  int existing(Handle handle, String reference) {
    int number = number(handle, reference);
    requireExisting(number);
    return number;
  }

  /**
   * Refuses a number that no step has.
   *
   * @throws MillraceException UNKNOWN_STEP with what is wrong
   */
  void requireExisting(int step) {
    if (step < 0 || step >= workflow.steps()) {
      throw refuse(
          "workflow %d has no step %d; its steps have the numbers 0 to %d"
              .formatted(workflow.id(), step, workflow.steps() - 1));
    }
    if (!exists(step)) {
      throw refuse(absent(step));
    }
  }

  /**
   * Whether a number within the range of the workflow stands for a step: not if its template has a
   * list with fewer values, or one that is not known.
   */
  boolean exists(int step) {
    if (step >= workflow.fixedSteps()) {
      return true;
    }
    PlannedTemplate planned = revision.plan().ofFixed(step);
    return rows.get(planned.number()).has(planned, step);
  }

  private String absent(int step) {
    PlannedTemplate planned = revision.plan().ofFixed(step);
    TemplateRow row = rows.get(planned.number());
    return "workflow %d has no step %d: %s"
        .formatted(
            workflow.id(),
            step,
            isUnknown(workflow, row, planned)
                ? unknown(planned)
                : row.steps == 0
                    ? "the list of '%s' is empty".formatted(row.name())
                    : "the steps of '%s' have the numbers %d to %d"
                        .formatted(row.name(), planned.first(), planned.first() + row.steps - 1));
  }

  /** Whether the steps of a template depend on a list that has not been given yet. */
  static boolean isUnknown(WorkflowRow workflow, TemplateRow row, PlannedTemplate planned) {
    return planned.given() != null
        && (workflow.startedAt() == null || row.steps == TemplateRow.UNKNOWN);
  }

  private String unknown(PlannedTemplate planned) {
    String giver = rows.get(planned.given().from()).name();
    return "the steps of '%s' are %s".formatted(planned.name(), WorkflowMessages.listGiven(giver));
  }

  private static OptionalInt asNumber(String reference) {
    try {
      return OptionalInt.of(Integer.parseInt(reference));
    } catch (NumberFormatException e) {
      return OptionalInt.empty();
    }
  }

  private int only(TemplateRow row) {
    PlannedTemplate planned = revision.plan().templates().get(row.template());
    if (isUnknown(workflow, row, planned)) {
      throw refuse(unknown(planned));
    }
    int size = planned.given() == null ? planned.size() : row.existing();
    if (!planned.listed() && size == 1) {
      return planned.first();
    }
    if (planned.listed() && row.steps == 1) {
      return row.firstStep;
    }
    throw refuse(
        "template '%s' has %d steps; 'millrace workflow steps %d --template %s' shows their numbers"
            .formatted(row.name(), planned.listed() ? row.steps : size, workflow.id(), row.name()));
  }

  private int ofLists(Handle handle, PlannedTemplate planned, String text) {
    if (planned.listed()) {
      throw refuse(
          "steps of template '%s' are listed one by one; give a name or a number"
              .formatted(planned.name()));
    }
    StepTemplate template = revision.spec().templates().get(planned.name());
    int lists = planned.arguments().size();
    // A single value may contain commas.
    List<String> values = lists == 1 ? List.of(text) : List.of(text.split(",", -1));
    if (values.size() != lists) {
      throw refuse(
          "'%s[%s]': give one value for each of %s"
              .formatted(
                  planned.name(), ShownText.of(text), String.join(", ", planned.arguments())));
    }
    if (isUnknown(workflow, rows.get(planned.number()), planned)) {
      throw refuse(unknown(planned));
    }
    int step = 0;
    Iterator<String> value = values.iterator();
    for (ValueList list : template.each().values()) {
      String wanted = value.next().strip();
      int position =
          list.source() == null
              ? position(list, wanted)
              : givenLists.known(handle, workflow.id()).of(planned).indexOf(wanted);
      if (position < 0) {
        throw refuse(
            "template '%s' has no step with the value '%s'"
                .formatted(planned.name(), ShownText.of(wanted)));
      }
      step = step * list.size() + position;
    }
    return planned.first() + step;
  }

  private static int position(ValueList list, String value) {
    if (list.listed() != null) {
      return list.listed().indexOf(value);
    }
    try {
      long number = Long.parseLong(value);
      long from = number - list.range().first();
      boolean inside =
          from >= 0 && number <= list.range().last() && from % list.range().step() == 0;
      return inside ? (int) (from / list.range().step()) : -1;
    } catch (NumberFormatException e) {
      return -1;
    }
  }

  private int named(Handle handle, String name) {
    if (workflow.listedSteps() > MAX_NAMED) {
      throw refuse(
          "names are only looked for in workflows with up to %d listed steps; give the step's number, which 'millrace workflow steps %d' shows"
              .formatted(MAX_NAMED, workflow.id()));
    }
    int next = 0;
    List<StepRow> page;
    do {
      page = steps.steps(handle, workflow.id(), next, ROWS);
      for (StepRow row : page) {
        int step = workflow.fixedSteps() + row.firstListed();
        for (StoredStep stored : ListedSteps.decode(row.content())) {
          if (stored.name().equals(name)) {
            return step;
          }
          step++;
        }
        next = row.firstListed() + row.steps();
      }
    } while (page.size() == ROWS);
    throw refuse(
        "workflow %d has no step '%s'; 'millrace workflow steps %d' lists them"
            .formatted(workflow.id(), ShownText.of(name), workflow.id()));
  }

  private static MillraceException refuse(String rule) {
    return new MillraceException(ErrorCode.UNKNOWN_STEP, rule);
  }
}
