package io.millrace.cli.migration;

import io.millrace.api.DataSize;
import io.millrace.api.job.RetryPolicy;
import io.millrace.cli.migration.ImportedStep.StepSettings;
import io.millrace.cli.migration.ImportedStep.StepShape;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/** The tasks of a workflow in WfFormat, and the steps made of them. Not thread-safe. */
final class WfTasks {
  private static final Pattern WORD = Pattern.compile("[\\w./+-]+");
  private static final Pattern NUMBER = Pattern.compile("[_.-]?(?:ID)?[_.-]?\\d+$");
  private static final Pattern OPERATOR =
      Pattern.compile("\\d?[<>]{1,2}(?:&\\d)?|\\|{1,2}|&{1,2}|;");
  private static final int DECIMALS = 3;
  private static final long MEGABYTE = 1 << 20;
  private static final int MAX_PRIORITY = 1_000_000;

  private final ImportFindings findings;
  private final Map<StepShape, StepShape> shapes = new HashMap<>();
  private final Map<String, WfTask> byId = new LinkedHashMap<>();

  WfTasks(ImportFindings findings) {
    this.findings = findings;
  }

  /** The task of that id, which is added if it is new. */
  WfTask of(String id) {
    return byId.computeIfAbsent(id, WfTask::new);
  }

  boolean isEmpty() {
    return byId.isEmpty();
  }

  int size() {
    return byId.size();
  }

  /** Their steps, in the order of the file. */
  List<ImportedStep> steps(String shown, Double factor, Path folder) {
    Map<String, Integer> positions = new HashMap<>();
    List<WfTask> tasks = new ArrayList<>(byId.values());
    for (WfTask task : tasks) {
      positions.put(task.id, positions.size());
      if (task.place == null) {
        findings.problem(task.executed, "is not in workflow.specification.tasks; add it there");
      }
    }
    List<List<Integer>> needs = needs(tasks, positions);
    if (factor == null) {
      findings.note(
          shown,
          "the recorded commands run in %s; files that they read must be there",
          folder.toString());
    }
    Map<String, Long> memory = new HashMap<>();
    tasks.forEach(task -> memory.merge(kind(task), task.memory, Math::max));
    List<ImportedStep> steps = new ArrayList<>();
    for (int i = 0; i < tasks.size(); i++) {
      WfTask task = tasks.get(i);
      List<Integer> needed = needs.get(i).stream().distinct().toList();
      steps.add(
          factor != null
              ? waiting(task, factor, needed)
              : running(task, folder, memory.get(kind(task)), needed));
    }
    return steps;
  }

  private List<List<Integer>> needs(List<WfTask> tasks, Map<String, Integer> positions) {
    List<List<Integer>> needs = new ArrayList<>(tasks.size());
    tasks.forEach(task -> needs.add(new ArrayList<>(task.parents.size())));
    for (int i = 0; i < tasks.size(); i++) {
      WfTask task = tasks.get(i);
      for (String parent : task.parents) {
        Integer position = known(task, "parents", parent, positions);
        if (position != null) {
          needs.get(i).add(position);
        }
      }
      for (String child : task.children) {
        Integer position = known(task, "children", child, positions);
        if (position != null) {
          needs.get(position).add(i);
        }
      }
    }
    return needs;
  }

  private Integer known(WfTask task, String key, String id, Map<String, Integer> positions) {
    Integer position = positions.get(id);
    if (position == null) {
      findings.problem(task.place, "%s: there is no task %s; add or remove it", key, id);
    }
    return position;
  }

  private ImportedStep waiting(WfTask task, double factor, List<Integer> needs) {
    if (Double.isNaN(task.seconds)) {
      findings.note(task.place, "no runtimeInSeconds is recorded; 0 is used");
    }
    double seconds = (Double.isNaN(task.seconds) ? 0 : task.seconds) * factor;
    String written =
        BigDecimal.valueOf(seconds)
            .setScale(DECIMALS, RoundingMode.HALF_UP)
            .stripTrailingZeros()
            .toPlainString();
    StepShape shape =
        shared(
            new StepShape(kind(task), "sleep", 1, List.of(), false, "seconds", StepSettings.NONE));
    return new ImportedStep(
        StepNames.of(task.id), shape, List.of(written), needs, Double.parseDouble(written));
  }

  private ImportedStep running(WfTask task, Path folder, long memory, List<Integer> needs) {
    if (task.program.isBlank()) {
      findings.problem(
          task.place, "no command is recorded; use --factor to wait for its recorded time instead");
    }
    List<String> words = new ArrayList<>();
    if (task.program.chars().anyMatch(Character::isWhitespace)) {
      // Some systems record the text of a script as the program.
      findings.note(task.executed, "the program is the text of a script; bash runs it");
      words.addAll(List.of("bash", "-c", task.program, kind(task)));
    } else {
      words.add(task.program.isBlank() ? "true" : task.program);
    }
    words.addAll(task.arguments);
    for (String argument : task.arguments) {
      if (OPERATOR.matcher(argument).matches()) {
        findings.note(
            task.executed,
            "the argument '%s' is passed to the program; no shell reads it",
            argument);
      }
    }
    StepSettings settings =
        new StepSettings(
            1,
            task.cores > 0 ? task.cores : null,
            memory > 0 ? enough(memory) : null,
            Map.of(),
            Math.max(-MAX_PRIORITY, Math.min(MAX_PRIORITY, task.priority)),
            null,
            null,
            RetryPolicy.NONE,
            null,
            null);
    StepShape shape =
        shared(
            new StepShape(
                kind(task), words.get(0), words.size() - 1, List.of(), true, null, settings));
    List<String> texts = new ArrayList<>(words.subList(1, words.size()));
    texts.add(folder.toString());
    return new ImportedStep(StepNames.of(task.id), shape, texts, needs, task.seconds);
  }

  /** Equal shapes are one object: there are few of them, and many steps. */
  private StepShape shared(StepShape shape) {
    StepShape known = shapes.putIfAbsent(shape, shape);
    return known == null ? shape : known;
  }

  /** More than was measured, because the limit is enforced; in whole megabytes. */
  private static DataSize enough(long measured) {
    long megabytes = measured / MEGABYTE * 5 / 4 + 16;
    return new DataSize(megabytes * MEGABYTE);
  }

  /** Category, or program, or name without its number. */
  private static String kind(WfTask task) {
    if (!task.category.isBlank()) {
      return task.category;
    }
    if (WORD.matcher(task.program).matches()) {
      return task.program.replaceFirst("^.*/", "");
    }
    String kind = NUMBER.matcher(task.name == null ? task.id : task.name).replaceFirst("");
    return kind.isBlank() ? "task" : kind;
  }

  /** A task while the file is read. Not thread-safe. */
  static final class WfTask {
    final String id;
    List<String> parents = List.of();
    List<String> children = List.of();
    String place;
    String executed;
    String name;
    String category = "";
    String program = "";
    List<String> arguments = List.of();
    double seconds = Double.NaN;
    double cores;
    long memory;
    int priority;

    WfTask(String id) {
      this.id = id;
    }
  }
}
