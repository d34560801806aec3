package io.millrace.cli.migration;

import io.millrace.api.job.Dependency;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** Reads the options of {@code #SBATCH} lines. Not thread-safe. */
final class SlurmDirectives {
  private static final Map<String, String> LONG_NAMES =
      Map.ofEntries(
          Map.entry("-J", "--job-name"),
          Map.entry("-c", "--cpus-per-task"),
          Map.entry("-n", "--ntasks"),
          Map.entry("-N", "--nodes"),
          Map.entry("-t", "--time"),
          Map.entry("-a", "--array"),
          Map.entry("-D", "--chdir"),
          Map.entry("-p", "--partition"),
          Map.entry("-d", "--dependency"),
          Map.entry("-o", "--output"),
          Map.entry("-e", "--error"),
          Map.entry("-i", "--input"),
          Map.entry("-A", "--account"),
          Map.entry("-q", "--qos"),
          Map.entry("-b", "--begin"),
          Map.entry("-G", "--gpus"),
          Map.entry("-C", "--constraint"),
          Map.entry("-w", "--nodelist"),
          Map.entry("-x", "--exclude"),
          Map.entry("-F", "--nodefile"),
          Map.entry("-H", "--hold"),
          Map.entry("-L", "--licenses"),
          Map.entry("-m", "--distribution"),
          Map.entry("-M", "--clusters"),
          Map.entry("-k", "--no-kill"),
          Map.entry("-O", "--overcommit"),
          Map.entry("-s", "--oversubscribe"),
          Map.entry("-v", "--verbose"),
          Map.entry("-Q", "--quiet"),
          Map.entry("-W", "--wait"));

  /** Options without a value, or with one only after an equals sign. */
  private static final Set<String> WITHOUT_VALUE =
      Set.of(
          "--hold",
          "--exclusive",
          "--requeue",
          "--no-requeue",
          "--nice",
          "--no-kill",
          "--overcommit",
          "--oversubscribe",
          "--verbose",
          "--quiet",
          "--wait",
          "--parsable",
          "--test-only",
          "--contiguous",
          "--spread-job",
          "--use-min-nodes",
          "--reboot",
          "--get-user-env",
          "--propagate");

  private static final Set<String> WITHOUT_EFFECT =
      Set.of("--comment", "--open-mode", "--parsable", "--verbose", "--quiet", "--wckey");

  private final ScriptDraft draft;
  private final ImportFindings findings;
  private final Instant now;
  private final ZoneId zone;

  SlurmDirectives(ScriptDraft draft, ImportFindings findings, Instant now, ZoneId zone) {
    this.draft = draft;
    this.findings = findings;
    this.now = now;
    this.zone = zone;
  }

  /** Reads the words of a line. */
  void read(String place, List<String> words) {
    if (!words.isEmpty() && words.get(0).toLowerCase(Locale.ROOT).matches("hetjob|packjob")) {
      findings.problem(
          place, "jobs of several components have no equivalent; submit each by itself");
      return;
    }
    for (int i = 0; i < words.size(); i++) {
      String word = words.get(i);
      String option = word;
      String value = null;
      if (word.startsWith("--")) {
        int equals = word.indexOf('=');
        option = equals < 0 ? word : word.substring(0, equals);
        value = equals < 0 ? null : word.substring(equals + 1);
      } else if (word.matches("-[A-Za-z].*")) {
        option = LONG_NAMES.getOrDefault(word.substring(0, 2), word.substring(0, 2));
        value = word.length() == 2 ? null : word.substring(2);
      } else {
        findings.problem(place, "'%s' is not an option of sbatch; remove it", word);
        continue;
      }
      if (value == null && !WITHOUT_VALUE.contains(option)) {
        if (i + 1 == words.size()) {
          findings.problem(place, "%s has no value; write %s=VALUE", option, option);
          return;
        }
        value = words.get(++i);
      }
      try {
        apply(place, option, value == null ? "" : value);
      } catch (IllegalArgumentException e) {
        findings.problem(place, "%s: %s", option, e.getMessage());
      }
    }
  }

  private void apply(String place, String option, String value) {
    switch (option) {
      case "--job-name" -> draft.name = value;
      case "--cpus-per-task" -> draft.cpus = draft.number(place, option, value);
      case "--mem" -> {
        draft.memory = SchedulerValues.size(value, "M");
        if (draft.memory == null) {
          findings.note(place, "--mem=0 is not used: no job gets all memory of a node");
        }
      }
      case "--mem-per-cpu" -> draft.memoryPerCpu = SchedulerValues.size(value, "M");
      case "--time" -> draft.timeout = SchedulerValues.slurmTime(value);
      case "--array" -> {
        draft.array = value;
        draft.arrayPlace = place;
      }
      case "--chdir" -> draft.directory = ScriptDraft.path(value);
      case "--export" -> export(place, value);
      case "--partition" -> {
        draft.pool = value.split(",", -1)[0];
        if (value.indexOf(',') >= 0) {
          findings.note(place, "--partition: only the first of '%s' is used, as pool", value);
        }
      }
      case "--nice" -> draft.priority(value.isEmpty() ? -100 : -Long.parseLong(value));
      case "--priority" -> draft.priority(Long.parseLong(value));
      case "--dependency" -> dependency(place, value);
      case "--account" -> draft.share = value;
      case "--begin" -> draft.notBefore = SchedulerValues.slurmBegin(value, now, zone);
      case "--hold" -> draft.hold = true;
      case "--no-requeue" -> draft.failsWithNode = true;
      case "--requeue" -> draft.failsWithNode = false;
      case "--gres", "--gpus", "--gpus-per-node", "--gpus-per-task" ->
          resources(place, option, value);
      case "--licenses" -> licences(place, value);
      case "--ntasks", "--nodes", "--ntasks-per-node" -> single(place, option, value);
      case "--input" ->
          findings.problem(
              place, "--input is not possible; redirect it in the script: exec <%s", value);
      case "--nodefile" -> findings.problem(place, "--nodefile is not possible; remove it");
      default -> left(place, option);
    }
  }

  /** A job runs on one node and is started once. */
  private void single(String place, String option, String value) {
    if (!value.strip().matches("1(-1)?")) {
      findings.problem(
          place,
          "%s=%s: a job is one process on one node, and MPI is not started; for one program with"
              + " several threads write --cpus-per-task, for several runs --array",
          option,
          value);
    }
  }

  private void export(String place, String value) {
    for (String one : value.split(",", -1)) {
      switch (one.strip()) {
        case "ALL" ->
            findings.note(place, "--export=ALL is not used: name the variables, as --export=A,B=2");
        case "NONE", "NIL", "" -> {
          // No job gets the variables of the user.
        }
        default -> draft.variable(place, one.strip());
      }
    }
  }

  private void dependency(String place, String value) {
    if (value.indexOf('?') >= 0) {
      findings.problem(
          place, "--dependency: all conditions must hold; alternatives with '?' are not possible");
      return;
    }
    for (String one : value.split(",", -1)) {
      List<String> parts = List.of(one.strip().split(":", -1));
      List<String> jobs = parts.subList(1, parts.size());
      switch (parts.get(0)) {
        case "afterok" -> draft.after(place, jobs, Dependency.End.OK);
        case "afterany" -> draft.after(place, jobs, Dependency.End.ANY);
        case "afternotok" -> draft.after(place, jobs, Dependency.End.FAIL);
        case "singleton" -> draft.oneAtATime = true;
        default ->
            findings.problem(
                place,
                "--dependency=%s has no equivalent; use afterok, afterany, afternotok or singleton",
                one.strip());
      }
    }
  }

  private void resources(String place, String option, String value) {
    for (String one : value.split(",", -1)) {
      List<String> parts = List.of(one.strip().split("[:=]", -1));
      String last = parts.get(parts.size() - 1);
      boolean counted = last.matches("\\d{1,6}");
      int count = counted ? Integer.parseInt(last) : 1;
      boolean gres = option.equals("--gres");
      String resource = gres ? parts.get(0) : "gpu";
      if (parts.size() - (counted ? 1 : 0) - (gres ? 1 : 0) > 0) {
        findings.note(
            place, "%s=%s: the type is not used; name it with --requires", option, one.strip());
      }
      if (resource.isEmpty() || resource.equals("none") || count == 0) {
        continue;
      }
      draft.resources.put(resource, count);
    }
  }

  private void licences(String place, String value) {
    if (value.indexOf('|') >= 0) {
      findings.problem(place, "--licenses: alternatives with '|' are not possible; use ','");
      return;
    }
    for (String one : value.split(",", -1)) {
      if (one.isBlank()) {
        continue;
      }
      String[] parts = one.strip().split("[:*]", -1);
      draft.licences.put(
          parts[0].replaceFirst("@.*", ""),
          parts.length == 1 ? 1 : draft.number(place, "--licenses", parts[1]));
    }
  }

  private void left(String place, String option) {
    if (WITHOUT_EFFECT.contains(option)) {
      return;
    }
    String instead =
        switch (option) {
          case "--output", "--error" -> "Millrace keeps the output: see 'millrace job logs'";
          case "--mail-type", "--mail-user" -> "use --notify-webhook or --notify-command";
          case "--exclusive" -> "nodes are shared; ask for the processors and memory needed";
          case "--constraint", "--nodelist", "--exclude" -> "use --requires or --rank";
          case "--signal" -> "use --grace for the time between TERM and KILL";
          case "--deadline" -> "use --deadline of 'millrace submit'";
          case "--wait" -> "use --wait of 'millrace submit'";
          case "--qos", "--reservation", "--clusters" -> "use --pool, --share or --priority";
          default -> "it has no equivalent";
        };
    findings.note(place, "%s is not used: %s", option, instead);
  }
}
