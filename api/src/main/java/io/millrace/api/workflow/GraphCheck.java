package io.millrace.api.workflow;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.Names;
import io.millrace.api.Pure;
import io.millrace.api.ShownText;
import io.millrace.api.workflow.WorkflowSpec.NeedMatch;
import io.millrace.api.workflow.WorkflowSpec.StepNeed;
import io.millrace.api.workflow.WorkflowSpec.StepTemplate;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Finds what is wrong with a graph before it is sent: arguments that nothing fills or uses, needs
 * that cannot be met, steps that occur twice. Used once. Pure.
 */
@Pure
final class GraphCheck {
  private static final String OF_WORKFLOW = "workflow.";

  private final WorkflowSpec workflow;
  private final StepTable steps;
  private final GraphProblems problems;
  private final List<Map.Entry<String, StepTemplate>> templates;
  private final Map<String, TemplateArguments> arguments = new HashMap<>();
  private final int[] listed;

  GraphCheck(WorkflowSpec workflow, StepTable steps, GraphProblems problems) {
    this.workflow = workflow;
    this.steps = steps;
    this.problems = problems;
    this.templates = List.copyOf(workflow.templates().entrySet());
    this.listed = new int[templates.size()];
  }

  /** Adds all problems. */
  void run() {
    for (int step = 0; step < steps.size(); step++) {
      if (steps.template(step) != StepTable.UNKNOWN) {
        listed[steps.template(step)]++;
      }
    }
    workflow
        .templates()
        .forEach((name, template) -> arguments.put(name, new TemplateArguments(template)));
    workflow.templates().forEach(this::checkTexts);
    workflow.templates().forEach(this::checkSource);
    workflow.templates().forEach(this::checkNeeds);
    checkListed();
    long size = steps.size();
    for (StepTemplate template : workflow.templates().values()) {
      size += template.size();
    }
    if (size > WorkflowSpec.MAX_STEPS) {
      problems.add("", "%d steps; at most %d are allowed", size, WorkflowSpec.MAX_STEPS);
    }
  }

  private void checkTexts(String name, StepTemplate template) {
    String place = "templates." + name;
    for (String argument : template.each().keySet()) {
      checkName(place + ".each", argument);
    }
    for (String used : arguments.get(name).used) {
      if (used.startsWith(OF_WORKFLOW)) {
        String argument = used.substring(OF_WORKFLOW.length());
        if (!workflow.arguments().containsKey(argument)) {
          problems.add(
              place + ".job",
              "{%s}: the workflow has no argument %s; add it to arguments",
              used,
              argument);
        }
      } else if (!template.listed() && !template.each().containsKey(used) && !isOutput(used)) {
        problems.add(
            place + ".job",
            "no argument fills {%s}; add %s to each, or write {{%s}} for the text in braces",
            used,
            used,
            used);
      }
    }
  }

  /** Whether it stands for a value that another step gives. */
  private boolean isOutput(String placeholder) {
    return OutputReference.of(placeholder, workflow.templates().keySet()).isPresent();
  }

  private void checkName(String place, String argument) {
    try {
      Names.require("an argument's name", argument, ErrorCode.INVALID_DEFINITION);
      if (argument.startsWith(OF_WORKFLOW)) {
        problems.add(
            place, "%s: names that begin with workflow. are those of its arguments", argument);
      }
    } catch (MillraceException e) {
      problems.add(place, "%s", e.getMessage());
    }
  }

  /** A list comes from the only step of a template that is needed as a whole. */
  private void checkSource(String name, StepTemplate template) {
    ListSource source = template.source();
    if (source == null) {
      return;
    }
    String place = "templates." + name + ".each";
    OutputReference from;
    try {
      from = source.reference(workflow.templates().keySet());
    } catch (MillraceException e) {
      problems.add(place, "%s", e.getMessage());
      return;
    }
    StepTemplate giver = workflow.templates().get(from.template());
    if (giver.source() != null || size(from.template()) != 1) {
      problems.add(
          place,
          "from: %s: a list is given by the only step of a template, but %s has %d",
          source.from(),
          from.template(),
          size(from.template()));
    } else if (!template.needs().contains(StepNeed.all(from.template()))) {
      problems.add(
          place,
          "from: %s: add %s to needs; the list is known when its step has succeeded",
          source.from(),
          from.template());
    }
  }

  private void checkNeeds(String name, StepTemplate template) {
    Set<StepNeed> seen = new HashSet<>();
    for (int i = 0; i < template.needs().size(); i++) {
      StepNeed need = template.needs().get(i);
      String place = "templates." + name + ".needs[" + i + "]";
      StepTemplate other = workflow.templates().get(need.of());
      if (other == null) {
        problems.add(place, "there is no template '%s'", ShownText.of(need.of()));
      } else if (need.of().equals(name)) {
        problems.add(place, "the template needs itself");
      } else if (!seen.add(need)) {
        problems.add(place, "the same need is given twice");
      } else if (need.match() == NeedMatch.ELEMENT) {
        checkSizes(place, name, need.of());
      } else if (need.match() == NeedMatch.ARGUMENT) {
        checkEqual(place, name, need);
      }
    }
  }

  private void checkSizes(String place, String name, String other) {
    int size = size(name);
    int otherSize = size(other);
    ListSource source = workflow.templates().get(name).source();
    if (!Objects.equals(source, workflow.templates().get(other).source())) {
      problems.add(
          place,
          "match: element requires the same list, with the same max, if a step gives the one of %s or %s",
          name,
          other);
    } else if (size != otherSize) {
      problems.add(
          place,
          "match: element requires equally many steps; %s has %d and %s has %d",
          name,
          size,
          other,
          otherSize);
    }
  }

  private int size(String name) {
    int size = 0;
    for (int i = 0; i < templates.size(); i++) {
      if (templates.get(i).getKey().equals(name)) {
        size = templates.get(i).getValue().size() + listed[i];
      }
    }
    return size;
  }

  /** The arguments whose values are compared belong to the steps of both templates. */
  private void checkEqual(String place, String name, StepNeed need) {
    for (String argument : need.by()) {
      ValueList own = workflow.templates().get(name).each().get(argument);
      ValueList others = workflow.templates().get(need.of()).each().get(argument);
      if (own != null && others != null && !Objects.equals(own.source(), others.source())) {
        problems.add(
            place,
            "by: %s: a list that a step gives is only compared with the same list, with the same max",
            ShownText.of(argument));
      }
    }
    for (String side : List.of(name, need.of())) {
      TemplateArguments known = arguments.get(side);
      for (String argument : need.by()) {
        if (workflow.templates().get(side).listed()) {
          // Steps that are listed may have arguments for this purpose alone.
          known.compared.add(argument);
        } else if (!workflow.templates().get(side).each().containsKey(argument)) {
          problems.add(
              place, "by: %s has no argument %s in its each", side, ShownText.of(argument));
        }
      }
    }
  }

  private void checkListed() {
    Set<Integer> refused = new HashSet<>(Set.of(StepTable.UNKNOWN));
    Map<Long, Integer> checked = new HashMap<>();
    for (int step = 0; step < steps.size(); step++) {
      int number = steps.template(step);
      if (number == StepTable.UNKNOWN) {
        continue;
      }
      Map.Entry<String, StepTemplate> template = templates.get(number);
      long kind = ((long) number << Integer.SIZE) | steps.keys(step);
      if (!template.getValue().listed()) {
        if (refused.add(number)) {
          problems.add(
              place(step) + ".template",
              "the steps of %s are made by its each; remove each, or this step",
              template.getKey());
        }
      } else if (checked.putIfAbsent(kind, step) == null) {
        checkArguments(step, template.getKey());
      }
    }
    steps.eachRepeated(
        (step, first) -> {
          if (!refused.contains(steps.template(step))) {
            problems.add(
                place(step),
                "two steps of template %s have the same arguments; the first is steps[%d]",
                templates.get(steps.template(step)).getKey(),
                first);
          }
        });
  }

  /** Steps with the same names of arguments have the same problems, which are told once. */
  private void checkArguments(int step, String template) {
    TemplateArguments known = arguments.get(template);
    Set<String> required = new LinkedHashSet<>(known.compared);
    known.used.stream()
        .filter(one -> !one.startsWith(OF_WORKFLOW) && !isOutput(one))
        .forEach(required::add);
    List<String> given = steps.keyList(step);
    List<String> missing = new ArrayList<>(required);
    missing.removeAll(given);
    if (!missing.isEmpty()) {
      problems.add(
          place(step) + ".arguments",
          "%s missing, which template %s uses; for the text in braces, write {{%s}} in its job",
          words(missing, "is", "are"),
          template,
          missing.get(0));
    }
    Set<String> unknown = new TreeSet<>(given);
    unknown.removeAll(required);
    if (!unknown.isEmpty()) {
      problems.add(
          place(step) + ".arguments",
          "template %s does not use %s; it uses %s",
          template,
          words(unknown, "", ""),
          required.isEmpty() ? "no arguments" : String.join(", ", required));
    }
  }

  private static String words(Collection<String> names, String one, String several) {
    String verb = names.size() == 1 ? one : several;
    return ShownText.of(String.join(", ", names)) + (verb.isEmpty() ? "" : " " + verb);
  }

  private static String place(int step) {
    return "steps[" + step + "]";
  }

  /** What the texts of a template's job use, and what needs compare. */
  private static final class TemplateArguments {
    final Set<String> used = new LinkedHashSet<>();
    final Set<String> compared = new LinkedHashSet<>();

    TemplateArguments(StepTemplate template) {
      used.addAll(Placeholders.names(template.job()));
    }
  }

  /** The problems found so far, up to a limit. */
  static final class GraphProblems {
    private static final int MAX = 100;
    private static final int SHOWN = 20;

    private final List<GraphProblem> found;

    GraphProblems() {
      this.found = new ArrayList<>();
    }

    GraphProblems(GraphProblems others) {
      this.found = new ArrayList<>(others.found);
    }

    void add(String path, String text, Object... shown) {
      if (found.size() < MAX) {
        found.add(new GraphProblem(path, String.format(Locale.ROOT, text, shown)));
      }
    }

    /** The first problems, each on its line, and how many more there are. */
    static String shown(List<GraphProblem> found) {
      int hidden = found.size() - SHOWN;
      return found.stream()
              .limit(SHOWN)
              .map(GraphProblem::toString)
              .collect(Collectors.joining("\n"))
          + (hidden > 0 ? "\nand " + hidden + " more problems" : "");
    }

    List<GraphProblem> list() {
      return List.copyOf(found);
    }
  }
}
