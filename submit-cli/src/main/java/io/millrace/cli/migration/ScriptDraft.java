package io.millrace.cli.migration;

import io.millrace.api.DataSize;
import io.millrace.api.job.ArrayRange;
import io.millrace.api.job.Dependency;
import io.millrace.api.job.JobDraft;
import io.millrace.api.job.JobSpec;
import io.millrace.api.job.RetryPolicy;
import io.millrace.api.job.RetryPolicy.FailureKind;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What the directives of a script ask for, while they are read. Not thread-safe. */
final class ScriptDraft {
  private static final int MAX_PRIORITY = 1_000_000;

  final Map<String, String> env = new LinkedHashMap<>();
  final Map<String, Integer> resources = new LinkedHashMap<>();
  final Map<String, Integer> licences = new LinkedHashMap<>();
  final List<Dependency> after = new ArrayList<>();
  private final Map<String, String> submitter;
  private final ImportFindings findings;
  String name;
  Integer cpus;
  DataSize memory;
  DataSize memoryPerCpu;
  Duration timeout;
  String array;
  String arrayPlace;
  Integer arrayLimit;
  String directory;
  String pool;
  int priority;
  String share;
  Instant notBefore;
  boolean hold;
  boolean oneAtATime;
  boolean failsWithNode;
  String interpreter;

  /** A draft; the variables are those of the user who submits. */
  ScriptDraft(Map<String, String> submitter, ImportFindings findings) {
    this.submitter = submitter;
    this.findings = findings;
  }

  void priority(long wanted) {
    priority = (int) Math.max(-MAX_PRIORITY, Math.min(MAX_PRIORITY, wanted));
  }

  /** A variable {@code NAME=value}, or {@code NAME} with the value that the user has. */
  void variable(String place, String written) {
    int equals = written.indexOf('=');
    String variable = (equals < 0 ? written : written.substring(0, equals)).strip();
    if (!variable.matches("[A-Za-z_][A-Za-z0-9_]*")) {
      findings.problem(place, "'%s' is not NAME or NAME=value", written);
    } else if (equals >= 0) {
      env.put(variable, written.substring(equals + 1));
    } else if (submitter.containsKey(variable)) {
      env.put(variable, submitter.get(variable));
    } else {
      findings.note(place, "the variable %s is not set here and not passed on", variable);
    }
  }

  /** Jobs that must have ended, by their numbers. */
  void after(String place, List<String> jobs, Dependency.End end) {
    for (String job : jobs) {
      if (job.matches("\\d{1,18}")) {
        Dependency one = new Dependency(Long.parseLong(job), end);
        if (after.stream().noneMatch(other -> other.job() == one.job())) {
          after.add(one);
        }
      } else {
        findings.problem(
            place,
            "'%s' is not the number of a job of Millrace; use numbers, or --after-ok for elements",
            job);
      }
    }
  }

  /** The number that an option has; 0, and a problem, if it has none. */
  int number(String place, String option, String written) {
    try {
      int number = Integer.parseInt(written.strip());
      if (number >= 0) {
        return number;
      }
    } catch (NumberFormatException e) {
      // Told below.
    }
    findings.problem(place, "%s: '%s' is not a number from 0 on", option, written);
    return 0;
  }

  /** The job with this command. */
  JobSpec spec(List<String> command, String stdin, String script) {
    JobDraft draft = JobDraft.command(command).stdin(stdin).env(env);
    draft.name(name == null ? script : name);
    if (cpus != null && cpus > 0) {
      draft.cpu(Double.valueOf(cpus));
    }
    if (memory != null) {
      draft.memory(memory);
    } else if (memoryPerCpu != null) {
      draft.memory(new DataSize(memoryPerCpu.bytes() * (cpus == null ? 1 : Math.max(1, cpus))));
    }
    draft
        .timeout(timeout)
        .array(range())
        .cwd(directory)
        .pool(pool)
        .priority(priority)
        .share(share)
        .notBefore(notBefore)
        .hold(hold)
        .after(after)
        .lane(oneAtATime ? (name == null ? script : name) : null)
        .resources(resources)
        .licences(licences);
    if (failsWithNode) {
      Set<FailureKind> others = EnumSet.complementOf(EnumSet.of(FailureKind.NODE_LOST));
      draft.retry(new RetryPolicy(0, null, null, others, null, null));
    }
    return draft.spec();
  }

  private ArrayRange range() {
    if (array == null) {
      return null;
    }
    try {
      ArrayRange range = ArrayRange.parse(progression(array));
      return arrayLimit == null || arrayLimit == 0
          ? range
          : new ArrayRange(range.first(), range.last(), range.step(), arrayLimit);
    } catch (IllegalArgumentException e) {
      findings.problem(arrayPlace, "array: %s", e.getMessage());
      return null;
    }
  }

  /** A list such as {@code 2,4,6%2} as a range, if all its distances are equal. */
  private static String progression(String written) {
    String[] parts = written.split("%", 2);
    String[] listed = parts[0].split(",", -1);
    if (listed.length < 2 || !parts[0].matches("[\\d,]+")) {
      return written;
    }
    long step = Long.parseLong(listed[1]) - Long.parseLong(listed[0]);
    for (int i = 1; i < listed.length; i++) {
      if (step < 1 || Long.parseLong(listed[i]) - Long.parseLong(listed[i - 1]) != step) {
        throw new IllegalArgumentException(
            "the indexes '" + parts[0] + "' are no range; submit ranges such as 1-9:2 one by one");
      }
    }
    return listed[0]
        + "-"
        + listed[listed.length - 1]
        + ":"
        + step
        + (parts.length == 1 ? "" : "%" + parts[1]);
  }

  /** A path of a directive: relative ones start where the command is given. */
  static String path(String written) {
    return Path.of(written).toAbsolutePath().normalize().toString();
  }
}
