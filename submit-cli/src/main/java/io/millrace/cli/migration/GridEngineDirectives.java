package io.millrace.cli.migration;

import io.millrace.api.DataSize;
import io.millrace.api.job.Dependency;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Reads the options of {@code #$} lines. Not thread-safe. */
final class GridEngineDirectives {
  /** How many values options have that do not have one. */
  private static final Map<String, Integer> VALUES =
      Map.ofEntries(
          Map.entry("-cwd", 0),
          Map.entry("-V", 0),
          Map.entry("-h", 0),
          Map.entry("-terse", 0),
          Map.entry("-notify", 0),
          Map.entry("-clear", 0),
          Map.entry("-soft", 0),
          Map.entry("-hard", 0),
          Map.entry("-verify", 0),
          Map.entry("-pe", 2));

  private final ScriptDraft draft;
  private final ImportFindings findings;
  private final Instant now;
  private final ZoneId zone;

  GridEngineDirectives(ScriptDraft draft, ImportFindings findings, Instant now, ZoneId zone) {
    this.draft = draft;
    this.findings = findings;
    this.now = now;
    this.zone = zone;
  }

  /** Reads the words of a line. */
  void read(String place, List<String> words) {
    int at = 0;
    while (at < words.size()) {
      String option = words.get(at++);
      int values = VALUES.getOrDefault(option, 1);
      if (!option.matches("-[A-Za-z]\\w*")) {
        findings.problem(place, "'%s' is not an option of qsub; remove it", option);
      } else if (at + values > words.size()) {
        findings.problem(place, "%s has no value; write '%s VALUE'", option, option);
        return;
      } else {
        try {
          apply(place, option, words.subList(at, at + values));
        } catch (IllegalArgumentException e) {
          findings.problem(place, "%s: %s", option, e.getMessage());
        }
        at += values;
      }
    }
  }

  private void apply(String place, String option, List<String> values) {
    String value = values.isEmpty() ? "" : values.get(0);
    switch (option) {
      case "-N" -> draft.name = value;
      case "-pe" -> parallel(place, value, values.get(1));
      case "-l" -> List.of(value.split(",", -1)).forEach(one -> resource(place, one.strip()));
      case "-t" -> {
        draft.array = value;
        draft.arrayPlace = place;
      }
      case "-tc" -> draft.arrayLimit = draft.number(place, option, value);
      case "-cwd" -> draft.directory = ScriptDraft.path("");
      case "-wd" -> draft.directory = ScriptDraft.path(value);
      case "-v" -> List.of(value.split(",", -1)).forEach(one -> draft.variable(place, one));
      case "-q" -> {
        draft.pool = value.split(",", -1)[0].replaceFirst("@.*", "");
        if (!draft.pool.equals(value)) {
          findings.note(place, "-q: of '%s', the first queue is used, as pool", value);
        }
      }
      case "-p" -> draft.priority(Long.parseLong(value));
      case "-hold_jid" -> draft.after(place, List.of(value.split(",", -1)), Dependency.End.ANY);
      case "-hold_jid_ad" ->
          findings.problem(
              place, "-hold_jid_ad has no equivalent; write a workflow with 'match: element'");
      case "-P" -> draft.share = value;
      case "-A" -> draft.share = draft.share == null ? value : draft.share;
      case "-a" -> draft.notBefore = SchedulerValues.gridEngineBegin(value, now, zone);
      case "-h" -> draft.hold = true;
      case "-r" -> draft.failsWithNode = value.toLowerCase(Locale.ROOT).startsWith("n");
      case "-S" -> draft.interpreter = value;
      case "-i" ->
          findings.problem(place, "-i is not possible; redirect it in the script: exec <%s", value);
      case "-b" -> {
        if (value.toLowerCase(Locale.ROOT).startsWith("y")) {
          findings.problem(place, "-b y: a script is submitted; remove it");
        }
      }
      default -> left(place, option);
    }
  }

  private void parallel(String place, String environment, String slots) {
    if (environment.toLowerCase(Locale.ROOT).matches(".*(mpi|orte|pvm).*")) {
      findings.problem(
          place,
          "-pe %s: a job is one process on one node, and MPI is not started; for one program with"
              + " several threads write '-pe smp N'",
          environment);
      return;
    }
    String least = slots.split("-", -1)[0];
    draft.cpus = draft.number(place, "-pe", least);
    if (!least.equals(slots)) {
      findings.note(place, "-pe %s %s: %s processors are booked", environment, slots, least);
    }
  }

  private void resource(String place, String written) {
    int equals = written.indexOf('=');
    String resource = equals < 0 ? written : written.substring(0, equals);
    String value = equals < 0 ? "" : written.substring(equals + 1);
    switch (resource) {
      // Limits and requests are those of one slot.
      case "h_vmem", "mem_free", "m_mem_free", "virtual_free", "h_rss" -> {
        DataSize asked = SchedulerValues.size(value, "");
        boolean larger =
            draft.memoryPerCpu == null
                || (asked != null && asked.bytes() > draft.memoryPerCpu.bytes());
        draft.memoryPerCpu = larger ? asked : draft.memoryPerCpu;
      }
      case "h_rt" -> draft.timeout = SchedulerValues.gridEngineTime(value);
      case "s_rt", "s_vmem" ->
          findings.note(
              place, "-l %s is not used: the hard limit is what counts, with --grace", resource);
      case "gpu", "gpus", "ngpus" ->
          draft.resources.put("gpu", draft.number(place, "-l " + resource, value));
      case "hostname", "h", "arch", "os" ->
          findings.note(place, "-l %s is not used: use --requires", resource);
      default ->
          findings.note(
              place, "-l %s is not used: if nodes have it, use --resource or --requires", resource);
    }
  }

  private void left(String place, String option) {
    String instead =
        switch (option) {
          case "-o", "-e", "-j" -> "Millrace keeps the output: see 'millrace job logs'";
          case "-m", "-M" -> "use --notify-webhook or --notify-command";
          case "-V" -> "name the variables, as -v A,B=2";
          case "-sync" -> "use --wait of 'millrace submit'";
          case "-notify" -> "use --grace for the time between TERM and KILL";
          case "-dl" -> "use --deadline of 'millrace submit'";
          default -> "it has no equivalent";
        };
    findings.note(place, "%s is not used: %s", option, instead);
  }
}
