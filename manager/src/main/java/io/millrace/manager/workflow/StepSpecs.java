package io.millrace.manager.workflow;

import io.millrace.api.job.JobDraft;
import io.millrace.api.job.JobSpec;
import io.millrace.api.workflow.OutputReference;
import io.millrace.api.workflow.Placeholders;
import io.millrace.api.workflow.ValueList;
import io.millrace.api.workflow.WorkflowSpec.NeedMatch;
import io.millrace.api.workflow.WorkflowSpec.StepTemplate;
import io.millrace.manager.graph.GivenLists.KnownLists;
import io.millrace.manager.graph.ListedSteps.StoredStep;
import io.millrace.manager.graph.WorkflowPlan.PlannedTemplate;
import io.millrace.manager.graph.WorkflowPlan.Relation;
import io.millrace.manager.job.JobRules;
import io.millrace.manager.workflow.WorkflowDao.WorkflowRow;
import io.millrace.manager.workflow.WorkflowRevisions.WorkflowRevision;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jdbi.v3.core.Handle;

/**
 * What the steps of a template run: its job, with the arguments of each step, those of the workflow
 * and the values that needed steps gave in its texts. One thread; reads the database.
 */
final class StepSpecs {
  private static final int MAX_KEPT = 256;
  private static final int LONGEST_PATH = 4096;
  private static final int LONGEST_TEXTS = 1024 * 1024;

  private final Handle handle;
  private final WorkflowRow workflow;
  private final WorkflowRevision revision;
  private final PlannedTemplate planned;
  private final StepTemplate template;
  private final KnownLists lists;
  private final List<OutputReference> references;
  private final StepReader listed;
  private final StepReader needed;
  private final StepDao steps = new StepDao();
  private final Map<Integer, Map<String, String>> outputs = new HashMap<>();

  StepSpecs(Handle handle, WorkflowRow workflow, WorkflowRevision revision, int template) {
    this.handle = handle;
    this.workflow = workflow;
    this.revision = revision;
    this.planned = revision.plan().templates().get(template);
    this.template = revision.spec().templates().get(planned.name());
    this.lists = new ListDao().known(handle, workflow.id());
    this.references = references(revision, this.template);
    this.listed = new StepReader(handle, workflow);
    this.needed = new StepReader(handle, workflow);
  }

  /** A value that a step needs was not given, or its job's texts are too long with its values. */
  static final class MissingValueException extends Exception {
    private static final long serialVersionUID = 1L;

    MissingValueException(String message) {
      super(message);
    }
  }

  /** The values of other steps that the texts of a template's job contain. */
  static List<OutputReference> references(WorkflowRevision revision, StepTemplate template) {
    return Placeholders.names(template.job()).stream()
        .flatMap(name -> OutputReference.of(name, revision.spec().templates().keySet()).stream())
        .toList();
  }

  /**
   * The arguments of a step that lists make; without those whose list has become too short.
   *
   * @param lists those that steps gave
   */
  static Map<String, String> arguments(
      PlannedTemplate planned, StepTemplate template, KnownLists lists, int step) {
    Map<String, String> values = new LinkedHashMap<>();
    int[] positions = planned.positions(step);
    int at = 0;
    for (Map.Entry<String, ValueList> list : template.each().entrySet()) {
      int position = positions[at++];
      if (list.getValue().source() == null) {
        values.put(list.getKey(), list.getValue().get(position));
      } else if (position < lists.of(planned).size()) {
        values.put(list.getKey(), lists.of(planned).get(position));
      }
    }
    return values;
  }

  /**
   * What a step runs.
   *
   * @param common the specification of its array, as all elements have it
   */
  JobSpec spec(JobSpec common, int step) throws MissingValueException {
    Map<String, String> values = new HashMap<>();
    revision.spec().arguments().forEach((key, value) -> values.put("workflow." + key, value));
    Optional<StoredStep> stored =
        planned.listed() ? Optional.of(listed.read(step)) : Optional.empty();
    values.putAll(stored.isPresent() ? stored.get().arguments() : ofLists(step));
    for (OutputReference reference : references) {
      String name = reference.template() + "." + reference.name();
      values.putIfAbsent(name, value(reference, step, stored));
    }
    return filled(common, step, stored.map(StoredStep::name).orElse(""), values);
  }

  private Map<String, String> ofLists(int step) throws MissingValueException {
    Map<String, String> values = arguments(planned, template, lists, step);
    if (values.size() < template.each().size()) {
      throw new MissingValueException(
          "is step %d of template '%s', whose list '%s' has no value for it any more"
              .formatted(step, planned.name(), planned.given().value()));
    }
    return values;
  }

  private String value(OutputReference reference, int step, Optional<StoredStep> stored)
      throws MissingValueException {
    int giver = giver(reference, step, stored);
    String value = outputs(giver).get(reference.name());
    if (value == null) {
      throw new MissingValueException(
          "needs the value '%s' of step %d of '%s', which wrote none of that name to MILLRACE_OUTPUT"
              .formatted(reference.name(), giver, reference.template()));
    }
    return value;
  }

  private Map<String, String> outputs(int step) {
    if (outputs.size() >= MAX_KEPT) {
      outputs.clear();
    }
    return outputs.computeIfAbsent(step, one -> steps.outputs(handle, workflow.id(), one));
  }

  // The one step of that template that this step needs.
  private int giver(OutputReference reference, int step, Optional<StoredStep> stored)
      throws MissingValueException {
    PlannedTemplate from =
        revision.plan().templates().stream()
            .filter(one -> one.name().equals(reference.template()))
            .findFirst()
            .orElseThrow();
    List<Integer> givers = new ArrayList<>();
    for (Relation relation : planned.after()) {
      if (relation.from() == from.number() && relation.match() == NeedMatch.ELEMENT) {
        givers.add(from.first() + step - planned.first());
      }
    }
    if (planned.needsAll().contains(from.number()) && from.size() == 1) {
      givers.add(from.first());
    }
    for (int need : stored.map(StoredStep::needs).orElseGet(() -> new int[0])) {
      if (isOf(from, need)) {
        givers.add(need);
      }
    }
    if (givers.size() != 1) {
      throw new MissingValueException(
          "needs the value '%s' of '%s', but %d steps of it instead of exactly one"
              .formatted(reference.name(), from.name(), givers.size()));
    }
    return givers.get(0);
  }

  private boolean isOf(PlannedTemplate template, int step) {
    int number =
        step < workflow.fixedSteps()
            ? revision.plan().ofFixed(step).number()
            : needed.read(step).template();
    return number == template.number();
  }

  private JobSpec filled(JobSpec common, int step, String name, Map<String, String> values)
      throws MissingValueException {
    FilledTexts texts = new FilledTexts(values);
    Map<String, String> env = new HashMap<>();
    for (Map.Entry<String, String> variable : common.env().entrySet()) {
      String field = "variable " + variable.getKey();
      env.put(variable.getKey(), texts.fill(field, variable.getValue(), JobRules.LONGEST_TEXT));
    }
    env.put("MILLRACE_WORKFLOW", Long.toString(workflow.id()));
    env.put("MILLRACE_STEP", Integer.toString(step));
    if (!name.isEmpty()) {
      env.put("MILLRACE_STEP_NAME", name);
    }
    JobDraft draft =
        common
            .draft()
            .env(env)
            .cwd(texts.fill("cwd", common.cwd(), LONGEST_PATH))
            .stdin(texts.fill("stdin", common.stdin(), JobRules.LONGEST_INPUT));
    return common.command() == null
        ? draft.arguments(texts.fill("arguments", common.arguments())).spec()
        : draft.argv(texts.fill("command", common.command())).spec();
  }

  /** The texts of one job with values in place of names, which are as bounded as those of any. */
  private static final class FilledTexts {
    private final Map<String, String> values;
    private int left = LONGEST_TEXTS;

    FilledTexts(Map<String, String> values) {
      this.values = values;
    }

    List<String> fill(String field, List<String> texts) throws MissingValueException {
      List<String> filled = new ArrayList<>(texts.size());
      for (String text : texts) {
        filled.add(fill(field, text, JobRules.LONGEST_TEXT));
      }
      return filled;
    }

    /** Null is allowed. */
    String fill(String field, String text, int longest) throws MissingValueException {
      if (text == null) {
        return null;
      }
      Optional<String> filled = Placeholders.fill(text, values, Math.min(longest, left));
      if (filled.isEmpty()) {
        throw new MissingValueException(
            longest <= left
                ? "its %s would have more than %d characters with the values of its arguments in it; shorten them, or let the step read them from a file"
                    .formatted(
                        field.equals("command") || field.equals("arguments")
                            ? field + " has a word that"
                            : field,
                        longest)
                : "the texts of its job would have more than %d characters together with the values of its arguments in them; shorten them, or let the step read them from a file"
                    .formatted(LONGEST_TEXTS));
      }
      if (filled.get().indexOf('\0') >= 0) {
        throw new MissingValueException(
            "its %s would have a NUL character from a value, which cannot be passed to a program"
                .formatted(field));
      }
      left -= filled.get().length();
      return filled.get();
    }
  }
}
