package io.millrace.api.workflow;

import io.millrace.api.Pure;
import io.millrace.api.ShownText;
import io.millrace.api.workflow.StepChunk.ListedStep;
import io.millrace.api.workflow.WorkflowSpec.StepTemplate;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * What a listed step must fulfil, whatever the other listed steps are. Clients check it before they
 * send anything, and servers before they store a step. Pure; not thread-safe.
 */
@Pure
public final class ListedStepRule {
  /** The most needs of a step, counting steps and templates. */
  public static final int MAX_NEEDS = 65_534;

  private static final int LONGEST_NAME = 200;
  private static final int LONGEST_ARGUMENTS = 64 * 1024;
  private static final String NAME = "name";
  private static final String TEMPLATE = "template";
  private static final String ARGUMENTS = "arguments";
  private static final String NEEDS = "needs";

  private final WorkflowSpec workflow;
  private final long fixed;
  private final long steps;
  // The templates with lists, by the numbers of their first steps.
  private final NavigableMap<Long, String> made = new TreeMap<>();
  private final Map<String, Set<String>> required = new HashMap<>();

  /**
   * The rule for the steps of a workflow.
   *
   * @param workflow says which templates have listed steps
   * @param listedSteps how many there are
   */
  public ListedStepRule(WorkflowSpec workflow, int listedSteps) {
    this.workflow = workflow;
    long first = 0;
    for (Map.Entry<String, StepTemplate> template : workflow.templates().entrySet()) {
      if (!template.getValue().listed()) {
        made.put(first, template.getKey());
        first += template.getValue().size();
      }
    }
    this.fixed = first;
    this.steps = first + listedSteps;
  }

  /**
   * What is wrong with a step, if anything; the path is that of a key of the step.
   *
   * @param number of the step in the workflow
   */
  public Optional<GraphProblem> problem(int number, ListedStep step) {
    return ofTexts(step.name(), step.arguments())
        .or(() -> ofTemplate(step))
        .or(() -> ofNeeds(number, step.template(), step.needs(), step.all()));
  }

  /** What is wrong with the name, null for none, and the arguments of any step. */
  static Optional<GraphProblem> ofTexts(String name, Map<String, String> arguments) {
    if (name != null && name.length() > LONGEST_NAME) {
      return wrong(NAME, "its name is longer than %d characters", LONGEST_NAME);
    }
    if (hasControls(name)) {
      return wrong(NAME, "its name has control characters");
    }
    long length = 0;
    for (Map.Entry<String, String> argument : arguments.entrySet()) {
      if (argument.getValue() == null) {
        return wrong(ARGUMENTS, "'%s' has no value", ShownText.of(argument.getKey()));
      }
      length += argument.getKey().length() + argument.getValue().length();
      if (hasControls(argument.getKey()) || hasControls(argument.getValue())) {
        return wrong(
            ARGUMENTS, "an argument has control characters; let the step read it from a file");
      }
    }
    return length > LONGEST_ARGUMENTS
        ? wrong(ARGUMENTS, "its arguments are longer than %d characters", LONGEST_ARGUMENTS)
        : Optional.empty();
  }

  private static boolean hasControls(String text) {
    return text != null && text.chars().anyMatch(Character::isISOControl);
  }

  private Optional<GraphProblem> ofTemplate(ListedStep step) {
    StepTemplate template = workflow.templates().get(step.template());
    if (template == null || !template.listed()) {
      return wrong(
          TEMPLATE, "there is no template '%s' with listed steps", ShownText.of(step.template()));
    }
    return required.computeIfAbsent(step.template(), name -> required(template)).stream()
        .filter(name -> !step.arguments().containsKey(name))
        .findFirst()
        .flatMap(
            name ->
                wrong(
                    ARGUMENTS,
                    "'{%s}' of template '%s' has no value: add it to the step's arguments",
                    name,
                    step.template()));
  }

  private Set<String> required(StepTemplate template) {
    Set<String> names = new HashSet<>(Placeholders.names(template.job()));
    workflow.arguments().keySet().forEach(name -> names.remove("workflow." + name));
    names.removeIf(name -> OutputReference.of(name, workflow.templates().keySet()).isPresent());
    return names;
  }

  /**
   * What is wrong with the needs of a step.
   *
   * @param needs numbers of steps
   * @param all names of templates
   */
  Optional<GraphProblem> ofNeeds(
      int number, String template, List<Integer> needs, List<String> all) {
    if (needs.size() + all.size() > MAX_NEEDS) {
      return wrong(
          NEEDS,
          "it needs more than %d steps; put them under a separate template and need that as a whole",
          MAX_NEEDS);
    }
    for (int need : needs) {
      if (need == number) {
        return wrong(NEEDS, "it cannot need itself");
      }
      if (need < 0 || need >= steps) {
        return wrong(
            NEEDS, "it needs step %d, but the steps have the numbers 0 to %d", need, steps - 1);
      }
      Optional<String> given = given(need);
      if (given.isPresent()) {
        return wrong(
            NEEDS,
            "it needs step %d, but the steps of '%s' are known only when its list was given; need the template as a whole",
            need,
            given.get());
      }
    }
    for (String whole : all) {
      if (whole.equals(template)) {
        return wrong(NEEDS, "it cannot need all steps of the template that it belongs to");
      }
      if (!workflow.templates().containsKey(whole)) {
        return wrong(NEEDS, "there is no template '%s'", ShownText.of(whole));
      }
    }
    return Optional.empty();
  }

  /** The template of a step, if a step gives its list. */
  private Optional<String> given(int step) {
    return Optional.ofNullable(step < fixed ? made.floorEntry((long) step) : null)
        .map(Map.Entry::getValue)
        .filter(name -> workflow.templates().get(name).source() != null);
  }

  private static Optional<GraphProblem> wrong(String key, String text, Object... shown) {
    return Optional.of(new GraphProblem(key, String.format(Locale.ROOT, text, shown)));
  }
}
