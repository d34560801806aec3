package io.millrace.cli.migration;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A submit description of HTCondor: {@code key = value} lines and {@code queue}. Immutable.
 *
 * @param file for messages
 * @param values by key in lower case, as written
 * @param lines of the keys
 * @param queue how many jobs it makes
 */
record SubmitDescription(
    String file, Map<String, String> values, Map<String, Integer> lines, int queue) {
  private static final Pattern ASSIGNMENT = Pattern.compile("([+A-Za-z_][\\w.+]*)\\s*=(.*)");
  private static final Pattern QUEUE =
      Pattern.compile("queue(?:\\s+(\\d{1,9}))?", Pattern.CASE_INSENSITIVE);
  private static final Pattern MACRO =
      Pattern.compile("\\$(ENV)?\\(([A-Za-z_][\\w.]*)(?::([^()]*))?\\)");
  private static final int MAX_QUEUE = 100_000;
  private static final int MAX_EXPANSIONS = 20;
  private static final int LONGEST_VALUE = 1 << 20;

  /** Their effect is part of the import, or they have none on what a job does. */
  private static final Set<String> READ =
      Set.of(
          "executable",
          "arguments",
          "args",
          "environment",
          "env",
          "request_cpus",
          "request_memory",
          "request_gpus",
          "initialdir",
          "initial_dir",
          "iwd",
          "input",
          "stdin",
          "priority",
          "prio",
          "accounting_group",
          "allowed_execute_duration",
          "max_retries",
          "universe",
          "batch_name",
          "jobbatchname",
          "submit_event_notes",
          "dagman_log");

  /** Macros that are only known when an attempt starts. */
  private static final Set<String> OF_ATTEMPTS =
      Set.of("retry", "failed_count", "dag_status", "cluster", "clusterid");

  private static final Set<String> REFUSED_UNIVERSES =
      Set.of("docker", "container", "parallel", "mpi", "grid", "vm", "java", "pvm");

  SubmitDescription {
    values = Map.copyOf(values);
    lines = Map.copyOf(lines);
  }

  /**
   * Reads its lines.
   *
   * @param first the number of the first line in the file
   */
  static SubmitDescription read(
      String file, List<String> text, int first, ImportFindings findings) {
    Map<String, String> values = new LinkedHashMap<>();
    Map<String, Integer> lines = new TreeMap<>();
    int queue = 1;
    boolean queued = false;
    for (int i = 0; i < text.size(); i++) {
      int number = first + i;
      StringBuilder joined = new StringBuilder(text.get(i).strip());
      while (joined.length() > 0 && joined.charAt(joined.length() - 1) == '\\') {
        joined.setLength(joined.length() - 1);
        if (++i < text.size()) {
          joined.append(text.get(i).strip());
        }
      }
      String line = joined.toString().strip();
      String place = file + ": line " + number;
      Matcher assignment = ASSIGNMENT.matcher(line);
      Matcher count = QUEUE.matcher(line);
      boolean comment = line.isEmpty() || line.startsWith("#");
      if (count.matches()) {
        if (queued) {
          findings.problem(place, "there are two 'queue' lines; a job of a DAG has one");
        }
        queued = true;
        queue = count.group(1) == null ? 1 : Integer.parseInt(count.group(1));
        if (queue < 1 || queue > MAX_QUEUE) {
          findings.problem(place, "queue %d: use 1 to %d", queue, MAX_QUEUE);
        }
      } else if (line.toLowerCase(Locale.ROOT).startsWith("queue")) {
        findings.problem(
            place,
            "'%s' makes jobs from a list, which is not read; write one JOB with VARS for each",
            line);
      } else if (assignment.matches()) {
        String key = assignment.group(1).toLowerCase(Locale.ROOT);
        values.put(key, assignment.group(2).strip());
        lines.put(key, number);
      } else if (!comment) {
        findings.problem(
            place,
            "'%s' is not 'key = value'; conditions and included files are not read, write what"
                + " they mean here",
            line);
      }
    }
    SubmitDescription read = new SubmitDescription(file, values, lines, queue);
    read.check(findings);
    return read;
  }

  /** The place of a key, for messages. */
  String place(String key) {
    Integer line = lines.get(key);
    return line == null ? file : file + ": line " + line;
  }

  private void check(ImportFindings findings) {
    if (!values.containsKey("executable")) {
      findings.problem(file, "has no executable; add 'executable = PROGRAM'");
    }
    String universe = values.getOrDefault("universe", "vanilla").toLowerCase(Locale.ROOT);
    if (REFUSED_UNIVERSES.contains(universe)) {
      findings.problem(
          place("universe"),
          "universe %s has no equivalent; name the program that runs it as the executable",
          universe);
    }
    for (String key : List.of("container_image", "docker_image")) {
      if (values.containsKey(key)) {
        findings.problem(
            place(key),
            "%s: jobs do not run in images; make the command that starts it the executable",
            key);
      }
    }
    values.keySet().stream()
        .filter(key -> !READ.contains(key) && told(key))
        .sorted()
        .forEach(key -> findings.note(place(key), "%s %s", key, meaning(key)));
  }

  /** Other keys are macros of the file's own. */
  private static boolean told(String key) {
    return !meaning(key).isEmpty();
  }

  private static String meaning(String key) {
    return switch (key) {
      case "output", "error", "log", "stream_output", "stream_error" ->
          "is not used: Millrace keeps the output of each step";
      case "transfer_input_files",
          "transfer_output_files",
          "transfer_executable",
          "should_transfer_files",
          "when_to_transfer_output",
          "transfer_output_remaps" ->
          "is not used: files are not copied; the nodes need a shared file system";
      case "requirements", "rank" ->
          "is not used: write 'requires' or 'rank' into the template instead";
      case "notification", "notify_user" -> "is not used: write 'notify' into the workflow instead";
      case "getenv" -> "is not used: steps get only the variables of 'environment'";
      case "request_disk" -> "is not used: disks are not booked";
      case "concurrency_limits" ->
          "is not used: write 'licences' into the template, or MAXJOBS into the DAG";
      case "hold",
          "periodic_hold",
          "periodic_release",
          "periodic_remove",
          "on_exit_hold",
          "on_exit_remove",
          "success_exit_code",
          "retry_until",
          "deferral_time",
          "kill_sig",
          "allowed_job_duration",
          "noop_job",
          "leave_in_queue",
          "nice_user",
          "accounting_group_user" ->
          "is not used";
      default -> key.startsWith("+") || key.startsWith("my.") ? "is not used" : "";
    };
  }

  /**
   * A value with its macros replaced; null if there is no such key.
   *
   * @param given macros of the node, by name in lower case; they win over those of the file
   * @param environment gives the variables of {@code $ENV(NAME)}
   */
  String value(
      String key,
      Map<String, String> given,
      UnaryOperator<String> environment,
      ImportFindings findings) {
    String written = values.get(key);
    if (written == null) {
      return null;
    }
    String text = written;
    for (int i = 0; i < MAX_EXPANSIONS && text.contains("$"); i++) {
      String expanded = expanded(key, text, given, environment, findings);
      if (expanded.equals(text) || expanded.length() > LONGEST_VALUE) {
        break;
      }
      text = expanded;
    }
    return text.replace("$(DOLLAR)", "$");
  }

  private String expanded(
      String key,
      String text,
      Map<String, String> given,
      UnaryOperator<String> environment,
      ImportFindings findings) {
    return MACRO
        .matcher(text)
        .replaceAll(
            found -> {
              String name = found.group(2);
              if (name.equals("DOLLAR")) {
                return Matcher.quoteReplacement(found.group());
              }
              String lower = name.toLowerCase(Locale.ROOT);
              String value =
                  found.group(1) != null
                      ? environment.apply(name)
                      : given.getOrDefault(lower, values.get(lower));
              if (value == null) {
                value = found.group(3);
              }
              if (value == null) {
                if (OF_ATTEMPTS.contains(lower)) {
                  findings.problem(
                      place(key),
                      "%s: %s changes from attempt to attempt; let the program read"
                          + " the variable MILLRACE_ATTEMPT, such as 17.2",
                      key,
                      found.group());
                  return "";
                }
                findings.problem(
                    place(key),
                    "%s: nothing gives %s a value; add it with VARS, or as %s = … in this file",
                    key,
                    found.group(),
                    name);
                value = "";
              }
              return Matcher.quoteReplacement(value);
            });
  }

  /** A path as HTCondor resolves it; names without a slash that are no files stay as they are. */
  static String program(Path base, String written) {
    Path path = Path.of(written);
    if (path.isAbsolute()) {
      return written;
    }
    Path resolved = base.resolve(path).normalize();
    boolean bare = written.indexOf('/') < 0;
    return bare && !resolved.toFile().isFile() ? written : resolved.toString();
  }

  /** The first of some keys that has a value; null for none. */
  String first(
      Map<String, String> given,
      UnaryOperator<String> environment,
      ImportFindings findings,
      String... keys) {
    return Arrays.stream(keys)
        .filter(values::containsKey)
        .findFirst()
        .map(key -> value(key, given, environment, findings))
        .orElse(null);
  }
}
