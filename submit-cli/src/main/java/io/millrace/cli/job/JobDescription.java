package io.millrace.cli.job;

import io.millrace.api.Durations;
import io.millrace.api.job.Dependency;
import io.millrace.api.job.FailureKind;
import io.millrace.api.job.JobDetails;
import io.millrace.api.job.JobDetails.AttemptView;
import io.millrace.api.job.JobDetails.JobEvent;
import io.millrace.api.job.JobSpec;
import io.millrace.api.job.JobView;
import io.millrace.api.job.Notification;
import io.millrace.api.job.RetryPolicy;
import io.millrace.api.job.Usage;
import io.millrace.cli.output.Ages;
import io.millrace.cli.output.FieldList;
import io.millrace.cli.output.Figures;
import io.millrace.cli.output.Palette;
import io.millrace.cli.output.ShellQuoting;
import io.millrace.cli.output.Table;
import io.millrace.cli.output.Table.Column;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;

/** All about one job on one page. */
final class JobDescription {
  private final JobDetails details;
  private final Instant now;
  private final FieldList sheet;

  JobDescription(JobDetails details, Instant now, Palette palette) {
    this.details = details;
    this.now = now;
    this.sheet = new FieldList(palette);
  }

  List<String> lines() {
    head();
    program();
    sheet.table("Attempts", attempts());
    sheet.table("History", timeline(details.history()));
    lastWords();
    return sheet.lines();
  }

  private void head() {
    JobView job = details.job();
    sheet.title("job " + job.id() + "  " + JobFormatter.name(job));
    sheet.value("state", JobFormatter.state(job.state()));
    sheet.value("progress", job.progress() == null ? null : JobFormatter.progress(job.progress()));
    sheet.value("result", JobFormatter.result(job.outcome(), job.exitCode(), job.signal()));
    sheet.value("reason", job.reason());
    sheet.value("kind", JobFormatter.word(job.kind()));
    sheet.value("array", job.array());
    sheet.value("queue", job.queue());
    sheet.value("segment", job.segmentNode());
    sheet.value("owner", job.owner());
    sheet.value("share", Objects.equals(job.share(), job.owner()) ? null : job.share());
    sheet.value("tags", unlessEmpty(job.tags(), words -> String.join(" ", words)));
    sheet.value("submitted", Ages.since(job.submittedAt(), now) + " ago");
    if (job.notBefore() != null && job.notBefore().isAfter(now)) {
      sheet.value("next try", "in " + Ages.between(now, job.notBefore()));
    }
    sheet.value("deadline", deadline(job));
    if (job.state().waits()) {
      sheet.value("why", "millrace job explain " + job.id());
    }
  }

  private String deadline(JobView job) {
    if (job.deadline() == null) {
      return null;
    }
    boolean left = !job.state().ended() && job.deadline().isAfter(now);
    return job.deadline() + (left ? ", in " + Ages.between(now, job.deadline()) : "");
  }

  private void program() {
    JobSpec spec = details.spec();
    sheet.value("command", spec.command() == null ? null : ShellQuoting.of(spec.command()));
    sheet.value("program", spec.program());
    sheet.value("arguments", unlessEmpty(spec.arguments(), ShellQuoting::of));
    sheet.value("directory", spec.cwd());
    sheet.value("runs as", spec.runAs());
    sheet.value("environment", unlessEmpty(spec.env().keySet(), SpecFormatter::list));
    sheet.value("env file", spec.envFile());
    sheet.value("secrets", unlessEmpty(spec.secrets().keySet(), SpecFormatter::list));
    sheet.value("array", spec.array());
    sheet.value("after", unlessEmpty(spec.after(), SpecFormatter::dependencies));
    sheet.value("lane", spec.lane());
    sheet.value("single", spec.single());
    sheet.value("restart", spec.restart() ? "always" : null);
    sheet.value("slots", spec.slots() + " in pool " + spec.pool());
    sheet.value("needs", SpecFormatter.needs(spec));
    sheet.value("requires", spec.requires());
    sheet.value("rank", spec.rank());
    sheet.value("near", spec.preferredNode());
    sheet.value("priority", details.job().priority() == 0 ? null : details.job().priority());
    sheet.value("timeout", spec.timeout() == null ? null : Durations.format(spec.timeout()));
    sheet.value("failover", spec.failover() == null ? null : Durations.format(spec.failover()));
    sheet.value("retries", SpecFormatter.retries(spec.retry()));
    sheet.value("tells", SpecFormatter.notification(spec.notification()));
  }

  private static <C extends Collection<?>> String unlessEmpty(C given, Function<C, String> words) {
    return given == null || given.isEmpty() ? null : words.apply(given);
  }

  private Table attempts() {
    Table table =
        new Table(
            Column.right("TRY"),
            Column.left("NODE", 16),
            Column.left("STATE"),
            Column.right("AGE"),
            Column.right("TOOK"),
            Column.right("CPU"),
            Column.right("MEMORY"),
            Column.left("CAUSE", 32),
            Column.left("RESULT"),
            Column.left("REASON", 48));
    for (AttemptView attempt : details.attempts()) {
      Usage usage = attempt.usage();
      table.row(
          String.valueOf(attempt.number()),
          attempt.node(),
          JobFormatter.state(attempt.state()),
          Ages.since(attempt.recordedAt(), now),
          Ages.between(attempt.startedAt(), attempt.endedAt() == null ? now : attempt.endedAt()),
          usage == null ? "-" : Ages.took(Duration.ofMillis(usage.cpuMillis())),
          usage == null ? "-" : Figures.bytes(usage.memoryBytes()),
          attempt.cause(),
          JobFormatter.result(attempt.outcome(), attempt.exitCode(), attempt.signal()),
          attempt.reason() == null ? "" : attempt.reason());
    }
    return table;
  }

  private void lastWords() {
    for (int i = details.attempts().size() - 1; i >= 0; i--) {
      AttemptView attempt = details.attempts().get(i);
      if (attempt.stderrTail() != null) {
        sheet.quote("Last words of attempt " + attempt.number(), attempt.stderrTail());
        return;
      }
    }
  }

  /** When, and how long after the line before. */
  static Table timeline(List<JobEvent> history) {
    Table table =
        new Table(
            Column.left("AT"),
            Column.right("AFTER"),
            Column.left("STATE"),
            Column.left("WHAT HAPPENED", 76));
    Instant before = null;
    for (JobEvent event : history) {
      String attempt = event.attempt() == 0 ? "" : " (attempt " + event.attempt() + ")";
      table.row(
          event.at(),
          Ages.between(before, event.at()),
          JobFormatter.state(event.state()),
          event.words() + attempt);
      before = event.at();
    }
    return table;
  }

  /** What a job asks for, in words; null for what it does not ask. */
  private static final class SpecFormatter {
    private SpecFormatter() {}

    /** Sorted, with spaces between. */
    static String list(Collection<?> things) {
      return things.stream().map(String::valueOf).sorted().collect(Collectors.joining(" "));
    }

    /** {@code 17 ok, 18 any}. */
    static String dependencies(List<Dependency> after) {
      return after.stream()
          .map(one -> one.job() + " " + JobFormatter.word(one.end()))
          .collect(Collectors.joining(", "));
    }

    /** {@code 2 cpus, 512MB memory, gpu=1, licence solver=1}. */
    static String needs(JobSpec spec) {
      List<String> needs = new ArrayList<>();
      if (spec.cpu() != null) {
        needs.add(spec.cpu() + " cpus");
      }
      if (spec.memory() != null) {
        needs.add(spec.memory() + " memory");
      }
      counts(needs, "", spec.resources());
      counts(needs, "licence ", spec.licences());
      return needs.isEmpty() ? null : String.join(", ", needs);
    }

    private static void counts(List<String> needs, String what, Map<String, Integer> counts) {
      new TreeMap<>(counts).forEach((name, count) -> needs.add(what + name + "=" + count));
    }

    /** {@code 3, first after 1s, at most 5m, on exit signal, not after exit code 2}. */
    static String retries(RetryPolicy retry) {
      if (retry.max() == 0) {
        return null;
      }
      StringBuilder words = new StringBuilder().append(retry.max());
      words.append(", first after ").append(Durations.format(retry.backoff()));
      words.append(", at most ").append(Durations.format(retry.maxBackoff()));
      if (retry.on().size() < FailureKind.values().length) {
        words.append(", on ").append(list(retry.on()));
      }
      if (!retry.exitCodes().isEmpty()) {
        words.append(", only exit codes ").append(list(new TreeSet<>(retry.exitCodes())));
      }
      if (!retry.finalExitCodes().isEmpty()) {
        words.append(", never exit codes ").append(list(new TreeSet<>(retry.finalExitCodes())));
      }
      return words.toString();
    }

    /** {@code https://host/hook when failed}. */
    static String notification(Notification notification) {
      if (notification == null) {
        return null;
      }
      List<String> whom = new ArrayList<>();
      if (notification.webhook() != null) {
        whom.add(notification.webhook());
      }
      if (!notification.command().isEmpty()) {
        whom.add(ShellQuoting.of(notification.command()));
      }
      String when =
          notification.on().stream()
              .sorted()
              .map(JobFormatter::word)
              .collect(Collectors.joining(", "));
      return String.join(" and ", whom) + " when " + when;
    }
  }
}
