package io.millrace.cli.migration;

import io.millrace.api.DataSize;
import io.millrace.api.job.JobSpec;
import io.millrace.api.job.RetryPolicy;
import io.millrace.cli.migration.ImportedStep.StepSettings;
import io.millrace.cli.migration.ImportedStep.StepShape;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/** Makes steps of the nodes of a DAG. Used once, by one thread. */
final class DagSteps {
  private static final Pattern MEMORY =
      Pattern.compile("(\\d{1,12})\\s*([KMGT]?)B?", Pattern.CASE_INSENSITIVE);

  private static final Pattern JOB =
      Pattern.compile("\\$\\((?:JOB|NODE)\\)", Pattern.CASE_INSENSITIVE);

  // Some programs write a submit description for each node; thousands of templates help nobody.
  private static final int MAX_FILES_AS_NAMES = 200;

  private final UnaryOperator<String> environment;
  private final ImportFindings findings;
  private final Map<StepShape, StepShape> shapes = new HashMap<>();
  private long files;

  DagSteps(UnaryOperator<String> environment, ImportFindings findings) {
    this.environment = environment;
    this.findings = findings;
  }

  /** The workflow of these nodes, without those that are done. */
  ImportedWorkflow workflow(String file, String name, boolean failFast, List<DagNode> nodes) {
    files = nodes.stream().map(node -> node.job == null ? "" : node.job.file()).distinct().count();
    List<DagNode> byPosition = new ArrayList<>();
    for (DagNode node : nodes) {
      node.firstStep = byPosition.size();
      if (!node.done && !node.last) {
        node.steps = node.noop || node.job == null ? 1 : node.job.queue();
        for (int i = 0; i < node.steps && byPosition.size() <= ImportedWorkflow.MAX_STEPS; i++) {
          byPosition.add(node);
        }
      }
    }
    if (byPosition.size() > ImportedWorkflow.MAX_STEPS) {
      findings.problem(file, "more than %d steps; split the DAG", ImportedWorkflow.MAX_STEPS);
    } else if (byPosition.isEmpty() && !findings.refused()) {
      findings.problem(file, "all nodes are done; use --no-rescue to run them again");
    }
    List<ImportedStep> steps = new ArrayList<>();
    for (int i = 0; i < byPosition.size() && !tooMany(byPosition); i++) {
      DagNode node = byPosition.get(i);
      int[] needs =
          node.needs().stream()
              .flatMapToInt(one -> IntStream.range(one.firstStep, one.firstStep + one.steps))
              .distinct()
              .toArray();
      steps.add(step(node, i - node.firstStep, node.steps, boxed(needs)));
    }
    ImportedWorkflow workflow = new ImportedWorkflow(name, failFast, atEnd(nodes), steps);
    List<String> cycle = findings.refused() ? List.of() : workflow.cycle();
    if (!cycle.isEmpty()) {
      int shown = Math.min(cycle.size(), 20);
      findings.problem(
          file,
          "nodes wait for one another: %s; remove one of these dependencies",
          String.join(" -> ", cycle.subList(0, shown))
              + (shown < cycle.size()
                  ? " -> … (" + cycle.size() + " nodes)"
                  : " -> " + cycle.get(0)));
    }
    caps(steps);
    return workflow;
  }

  private static List<Integer> boxed(int[] numbers) {
    return Arrays.stream(numbers).boxed().toList();
  }

  private static boolean tooMany(List<DagNode> nodes) {
    return nodes.size() > ImportedWorkflow.MAX_STEPS;
  }

  private JobSpec atEnd(List<DagNode> nodes) {
    for (DagNode node : nodes) {
      if (node.last) {
        findings.note(
            node.place(),
            "FINAL: runs as a separate job after the workflow, whose result stays as it is");
        return StepTemplates.job(step(node, 0, 1, List.of()));
      }
    }
    return null;
  }

  /** A cap of a category is that of each of its templates. */
  private void caps(List<ImportedStep> steps) {
    Map<String, TreeSet<Integer>> byCategory = new TreeMap<>();
    Map<StepShape, Integer> numbers = new HashMap<>();
    for (ImportedStep step : steps) {
      StepSettings settings = step.shape().settings();
      if (settings.maxRunning() != null) {
        Integer number = numbers.putIfAbsent(step.shape(), numbers.size());
        byCategory
            .computeIfAbsent(settings.group(), one -> new TreeSet<>())
            .add(number == null ? numbers.size() - 1 : number);
      }
    }
    byCategory.forEach(
        (category, of) -> {
          if (of.size() > 1) {
            findings.note(
                "MAXJOBS " + category,
                "limits each of the %d templates of the category, not all of them together",
                of.size());
          }
        });
  }

  private ImportedStep step(DagNode node, int process, int processes, List<Integer> needs) {
    SubmitDescription job = node.noop ? null : node.job;
    Map<String, String> given = new HashMap<>();
    // Replaced before the description is read, so that VARS A job="$(JOB)" means something.
    node.variables()
        .forEach(
            (variable, written) ->
                given.put(
                    variable,
                    JOB.matcher(written).replaceAll(Matcher.quoteReplacement(node.name))));
    given.putIfAbsent("job", node.name);
    given.putIfAbsent("node", node.name);
    given.putIfAbsent("process", String.valueOf(process));
    given.putIfAbsent("procid", String.valueOf(process));
    Function<String[], String> value =
        keys -> job == null ? null : job.first(given, environment, findings, keys);
    List<String> command = job == null ? List.of() : command(node, job, value);
    String directory = directory(node, job, value);
    String input = value.apply(new String[] {"input", "stdin"});
    if (input != null) {
      input = Path.of(directory).resolve(input).normalize().toString();
    }
    if (processes > 1 && (node.pre != null || node.post != null) && process == 0) {
      findings.problem(
          node.place(),
          "%s: scripts run once around all %d jobs of a 'queue' line, which is not possible;"
              + " write a JOB for each",
          node.name,
          processes);
    }
    boolean scripts = node.pre != null || node.post != null;
    if (scripts || input != null) {
      command = new NodeShellCommand(node, findings).with(command, directory, input);
      directory = node.directory.toString();
    } else if (command.isEmpty()) {
      command = List.of("true");
    }
    Map<String, String> env = env(job, value);
    List<String> texts = new ArrayList<>(command.subList(1, command.size()));
    texts.addAll(env.values());
    texts.add(directory);
    StepShape shape =
        shared(
            new StepShape(
                job == null ? "noop" : kind(job),
                command.get(0),
                command.size() - 1,
                List.copyOf(env.keySet()),
                true,
                null,
                settings(node, job, value)));
    String name = processes == 1 ? node.name : node.name + "." + process;
    return new ImportedStep(StepNames.of(name), shape, texts, needs, Double.NaN);
  }

  /** Equal shapes are one object: there are few of them, and many steps. */
  private StepShape shared(StepShape shape) {
    StepShape known = shapes.putIfAbsent(shape, shape);
    return known == null ? shape : known;
  }

  /** The name of the file; that of the program if each node has a file of its own, or none. */
  private String kind(SubmitDescription job) {
    String file = job.file().replaceFirst("^.*[/\\\\]", "");
    boolean inline = file.toLowerCase(Locale.ROOT).endsWith(".dag");
    String executable = job.values().getOrDefault("executable", "job");
    return inline || files > MAX_FILES_AS_NAMES
        ? executable.replaceFirst("^.*[/\\\\]", "")
        : file.replaceFirst("(?i)\\.(sub|submit|condor|cmd|jdl|htc)$", "");
  }

  private List<String> command(
      DagNode node, SubmitDescription job, Function<String[], String> value) {
    List<String> command = new ArrayList<>();
    String executable = value.apply(new String[] {"executable"});
    try {
      command.add(
          SubmitDescription.program(
              node.directory, executable == null || executable.isBlank() ? "true" : executable));
      String arguments = value.apply(new String[] {"arguments", "args"});
      command.addAll(arguments == null ? List.of() : SubmitArguments.arguments(arguments));
    } catch (InvalidPathException e) {
      findings.problem(job.place("executable"), "'%s' is not a path", executable);
    } catch (IllegalArgumentException e) {
      findings.problem(job.place("arguments"), "arguments of %s: %s", node.name, e.getMessage());
    }
    return command;
  }

  private String directory(DagNode node, SubmitDescription job, Function<String[], String> value) {
    String initial = value.apply(new String[] {"initialdir", "initial_dir", "iwd"});
    try {
      return initial == null
          ? node.directory.toString()
          : node.directory.resolve(initial).normalize().toString();
    } catch (InvalidPathException e) {
      findings.problem(job.place("initialdir"), "'%s' is not a path", initial);
      return node.directory.toString();
    }
  }

  private Map<String, String> env(SubmitDescription job, Function<String[], String> value) {
    String written = value.apply(new String[] {"environment", "env"});
    if (written == null) {
      return Map.of();
    }
    try {
      return new TreeMap<>(SubmitArguments.environment(written));
    } catch (IllegalArgumentException e) {
      findings.problem(job.place("environment"), "environment: %s", e.getMessage());
      return Map.of();
    }
  }

  private StepSettings settings(
      DagNode node, SubmitDescription job, Function<String[], String> value) {
    RetryPolicy retry = retry(node, number(job, value, "max_retries", "retries after"));
    Integer gpus = number(job, value, "request_gpus", "GPUs of");
    Integer cpus = number(job, value, "request_cpus", "processors of");
    Integer seconds = number(job, value, "allowed_execute_duration", "time limit of");
    Integer priority = number(job, value, "priority", "priority of");
    return new StepSettings(
        1,
        cpus == null || cpus == 0 ? null : Double.valueOf(cpus),
        memory(job, value.apply(new String[] {"request_memory"})),
        gpus == null || gpus == 0 ? Map.of() : Map.of("gpu", gpus),
        node.priority + (priority == null ? 0 : priority),
        value.apply(new String[] {"accounting_group"}),
        seconds == null || seconds == 0 ? null : Duration.ofSeconds(seconds),
        retry,
        node.category,
        node.maxJobs);
  }

  private static RetryPolicy retry(DagNode node, Integer maxRetries) {
    TreeSet<Integer> never = new TreeSet<>();
    if (node.unlessExit != null) {
      never.add(node.unlessExit);
    }
    if (node.abortCode != null) {
      never.add(node.abortCode);
    }
    int retries = Math.max(node.retries, maxRetries == null ? 0 : maxRetries);
    return retries == 0
        ? RetryPolicy.NONE
        : new RetryPolicy(retries, null, null, null, null, never);
  }

  private Integer number(
      SubmitDescription job, Function<String[], String> value, String key, String what) {
    String written = value.apply(new String[] {key});
    if (written == null || written.isBlank()) {
      return null;
    }
    try {
      return Integer.valueOf(written.strip());
    } catch (NumberFormatException e) {
      findings.note(
          job.place(key),
          "%s '%s' is not a number and not used: the %s its steps is open",
          key,
          written,
          what);
      return null;
    }
  }

  private DataSize memory(SubmitDescription job, String written) {
    if (written == null || written.isBlank()) {
      return null;
    }
    Matcher form = MEMORY.matcher(written.strip());
    if (!form.matches() || Long.parseLong(form.group(1)) == 0) {
      findings.note(
          job.place("request_memory"), "request_memory '%s' is not a size and not used", written);
      return null;
    }
    // Without a unit, megabytes.
    String unit = form.group(2).isEmpty() ? "M" : form.group(2).toUpperCase(Locale.ROOT);
    return DataSize.parse(form.group(1) + unit + "B");
  }
}
