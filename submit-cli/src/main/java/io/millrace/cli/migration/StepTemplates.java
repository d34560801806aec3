package io.millrace.cli.migration;

import io.millrace.api.job.JobDraft;
import io.millrace.api.job.JobSpec;
import io.millrace.cli.migration.ImportedStep.StepSettings;
import io.millrace.cli.migration.ImportedStep.StepShape;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Makes templates of steps: steps of one shape are those of one template. A text that is the same
 * in all of them is written in the template, others are arguments. Immutable.
 */
final class StepTemplates {
  /** The variable that tells steps apart that run the same command. */
  static final String TOLD_APART_BY = "STEP_NAME";

  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,59}");
  private static final int LONGEST = 60;

  private final List<ImportedTemplate> templates;
  private final int[] byStep;

  private StepTemplates(List<ImportedTemplate> templates, int[] byStep) {
    this.templates = templates;
    this.byStep = byStep;
  }

  static StepTemplates of(List<ImportedStep> steps) {
    Map<StepShape, Integer> numbers = new LinkedHashMap<>();
    int[] byStep = new int[steps.size()];
    for (int step = 0; step < steps.size(); step++) {
      StepShape shape = steps.get(step).shape();
      Integer number = numbers.putIfAbsent(shape, numbers.size());
      byStep[step] = number == null ? numbers.size() - 1 : number;
    }
    List<List<ImportedStep>> members = new ArrayList<>();
    numbers.keySet().forEach(shape -> members.add(new ArrayList<>()));
    Set<String> taken = new HashSet<>();
    for (int step = 0; step < steps.size(); step++) {
      members.get(byStep[step]).add(steps.get(step));
      taken.add(steps.get(step).name());
    }
    List<ImportedTemplate> templates = new ArrayList<>();
    for (List<ImportedStep> equal : members) {
      templates.add(ImportedTemplate.of(unique(equal.get(0).shape().kind(), taken), equal));
    }
    return new StepTemplates(List.copyOf(templates), byStep);
  }

  /** All of them, in the order of their first steps. */
  List<ImportedTemplate> all() {
    return templates;
  }

  /** That of the step at a position. */
  ImportedTemplate of(int step) {
    return templates.get(byStep[step]);
  }

  /** The number of templates that the steps would have. */
  static long count(List<ImportedStep> steps) {
    return steps.stream().map(ImportedStep::shape).distinct().count();
  }

  private static String unique(String wanted, Set<String> taken) {
    String name = name(wanted, "step");
    String candidate = name;
    for (int number = 2; !taken.add(candidate); number++) {
      String suffix = "-" + number;
      candidate = name.substring(0, Math.min(name.length(), LONGEST - suffix.length())) + suffix;
    }
    return candidate;
  }

  /** A text as a name that Millrace allows: what it does not allow becomes a dash. */
  static String name(String wanted, String otherwise) {
    String allowed = wanted.replaceAll("[^A-Za-z0-9._-]+", "-").replaceAll("^[._-]+|-+$", "");
    String cut = allowed.substring(0, Math.min(allowed.length(), LONGEST));
    return cut.isEmpty() ? otherwise : cut;
  }

  /**
   * A template of steps of one shape.
   *
   * @param name unique in its workflow
   * @param shape of its steps
   * @param texts the texts of its job, in the order of the shape: each an argument in braces, or
   *     the same in all steps with its braces doubled
   * @param arguments the name of the argument at each position; null where all steps have the same
   * @param toldApart whether the step's own name is an argument too, because some are equal else
   */
  record ImportedTemplate(
      String name, StepShape shape, List<String> texts, List<String> arguments, boolean toldApart) {

    static ImportedTemplate of(String name, List<ImportedStep> equal) {
      StepShape shape = equal.get(0).shape();
      List<String> arguments = new ArrayList<>();
      List<String> texts = new ArrayList<>();
      List<String> first = equal.get(0).texts();
      Set<List<String>> different = new HashSet<>();
      equal.forEach(step -> different.add(step.texts()));
      for (int i = 0; i < first.size(); i++) {
        int position = i;
        String text = first.get(i);
        boolean same = equal.stream().allMatch(step -> step.texts().get(position).equals(text));
        String argument = same ? "" : argument(shape, position);
        arguments.add(argument);
        texts.add(same ? literal(text) : "{" + argument + "}");
      }
      return new ImportedTemplate(
          name, shape, List.copyOf(texts), List.copyOf(arguments), different.size() < equal.size());
    }

    private static String argument(StepShape shape, int position) {
      if (position < shape.arguments()) {
        return shape.label() == null ? "arg" + (position + 1) : shape.label();
      }
      int variable = position - shape.arguments();
      if (variable == shape.variables().size()) {
        return "directory";
      }
      String wanted = "env." + shape.variables().get(variable);
      return NAME.matcher(wanted).matches() ? wanted : "env." + variable;
    }

    private static String literal(String text) {
      return text.replace("{", "{{").replace("}", "}}");
    }

    Integer maxRunning() {
      return shape.settings().maxRunning();
    }

    /** The values of a step's arguments. */
    Map<String, String> arguments(ImportedStep step) {
      Map<String, String> values = new LinkedHashMap<>();
      for (int i = 0; i < arguments.size(); i++) {
        if (!arguments.get(i).isEmpty()) {
          values.put(arguments.get(i), step.texts().get(i));
        }
      }
      if (toldApart) {
        values.put(TOLD_APART_BY, step.name());
      }
      return values;
    }

    List<String> command() {
      List<String> command = new ArrayList<>(List.of(literal(shape.program())));
      command.addAll(texts.subList(0, shape.arguments()));
      return command;
    }

    Map<String, String> env() {
      Map<String, String> env = new LinkedHashMap<>();
      for (int i = 0; i < shape.variables().size(); i++) {
        env.put(shape.variables().get(i), texts.get(shape.arguments() + i));
      }
      if (toldApart) {
        env.put(TOLD_APART_BY, "{" + TOLD_APART_BY + "}");
      }
      return env;
    }

    /** Null for none. */
    String directory() {
      return shape.directory() ? texts.get(texts.size() - 1) : null;
    }

    JobSpec job() {
      return StepTemplates.job(command(), env(), directory(), shape.settings());
    }
  }

  /** The job of a step that is not one of a template: its texts stand as they are. */
  static JobSpec job(ImportedStep step) {
    StepShape shape = step.shape();
    List<String> command = new ArrayList<>(List.of(shape.program()));
    command.addAll(step.texts().subList(0, shape.arguments()));
    Map<String, String> env = new HashMap<>();
    for (int i = 0; i < shape.variables().size(); i++) {
      env.put(shape.variables().get(i), step.texts().get(shape.arguments() + i));
    }
    String directory = shape.directory() ? step.texts().get(step.texts().size() - 1) : null;
    return job(command, env, directory, shape.settings());
  }

  private static JobSpec job(
      List<String> command, Map<String, String> env, String directory, StepSettings settings) {
    return JobDraft.command(command)
        .env(env)
        .cwd(directory)
        .slots(settings.slots())
        .cpu(settings.cpu())
        .memory(settings.memory())
        .resources(settings.resources())
        .priority(settings.priority())
        .share(settings.share())
        .timeout(settings.timeout())
        .retry(settings.retry())
        .spec();
  }
}
