package io.millrace.cli.job;

import io.millrace.api.Durations;
import io.millrace.api.Sizes;
import io.millrace.api.job.Dependency;
import io.millrace.api.job.JobDetails;
import io.millrace.api.job.JobDetails.AttemptView;
import io.millrace.api.job.JobDetails.ElementUsage;
import io.millrace.api.job.JobDetails.JobEvent;
import io.millrace.api.job.JobSpec;
import io.millrace.api.job.JobView;
import io.millrace.api.job.ResourceAdjustment;
import io.millrace.api.job.RetryPolicy;
import io.millrace.api.job.RetryPolicy.FailureKind;
import io.millrace.cli.output.Ages;
import io.millrace.cli.output.DemandFormatter;
import io.millrace.cli.output.FieldList;
import io.millrace.cli.output.Figures;
import io.millrace.cli.output.NotificationFormatter;
import io.millrace.cli.output.Palette;
import io.millrace.cli.output.ShellQuoting;
import io.millrace.cli.output.Table;
import io.millrace.cli.output.Table.Column;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Describes one job: fields, attempts, history and the end of its error output. */
final class JobDescription {
  private final JobDetails details;
  private final String step;
  private final Instant now;
  private final FieldList fields;

  JobDescription(JobDetails details, Instant now, Palette palette) {
    this(details, null, now, palette);
  }

  /**
   * A description.
   *
   * @param step of a workflow that the job runs; null for none
   */
  JobDescription(JobDetails details, String step, Instant now, Palette palette) {
    this.details = details;
    this.step = step;
    this.now = now;
    this.fields = new FieldList(palette);
  }

  List<String> lines() {
    head();
    program();
    fields.table("Attempts", AttemptTable.of(details.attempts(), now));
    if (details.adjustments() != null) {
      fields.table("Requests", requests());
    }
    fields.table("History", timeline(details.history()));
    errorTail();
    return fields.lines();
  }

  /** How the last attempt of a job ended that waits for a further one; null if it had none. */
  private String lastResult() {
    return details.attempts().stream()
        .filter(attempt -> attempt.outcome() != null)
        .max(Comparator.comparingInt(AttemptView::number))
        .map(last -> JobFormatter.result(last.outcome(), last.exitCode(), last.signal()))
        .orElse(null);
  }

  private void head() {
    JobView job = details.job();
    fields.title("job " + job.id() + "  " + JobFormatter.name(job));
    fields.value("state", JobFormatter.state(job.state()));
    fields.value("progress", job.progress() == null ? null : JobFormatter.progress(job.progress()));
    fields.value("used", used(details.elements()));
    fields.value("reported", JobFormatter.reportedWhen(job, now));
    fields.value("result", JobFormatter.result(job));
    fields.value("last result", job.state().waits() ? lastResult() : null);
    fields.value("reason", job.reason());
    fields.value("kind", JobFormatter.lowerCase(job.kind()));
    fields.value("array", job.array());
    fields.value("step", step);
    fields.value("queue", job.queue());
    fields.value("segment", job.segmentNode());
    fields.value("owner", job.owner());
    fields.value("share", Objects.equals(job.share(), job.owner()) ? null : job.share());
    fields.value("tags", unlessEmpty(job.tags(), tags -> String.join(" ", tags)));
    fields.value("submitted", Ages.since(job.submittedAt(), now) + " ago");
    if (job.notBefore() != null && job.notBefore().isAfter(now)) {
      fields.value("next attempt", "in " + Ages.between(now, job.notBefore()));
    }
    fields.value("deadline", deadline(job));
    if (job.state().waits()) {
      fields.value("see also", "millrace job explain " + job.id());
    }
  }

  private static String used(ElementUsage elements) {
    if (elements == null) {
      return null;
    }
    String time =
        "%s of run time by the %s that succeeded at their first try"
            .formatted(
                Ages.took(Duration.ofMillis(elements.runMillis())),
                Figures.count(elements.succeeded()));
    if (elements.measured() == 0) {
      return elements.cpuMillis() == 0
          ? time
          : "%s; CPU %s, memory not measured"
              .formatted(time, Ages.took(Duration.ofMillis(elements.cpuMillis())));
    }
    return "%s; CPU %s, memory %s on average and at most %s"
        .formatted(
            time,
            Ages.took(Duration.ofMillis(elements.cpuMillis())),
            Sizes.readable(elements.meanMemoryBytes()),
            Sizes.readable(elements.maxMemoryBytes()));
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
    fields.value("command", spec.command() == null ? null : ShellQuoting.of(spec.command()));
    fields.value("program", spec.program());
    fields.value("arguments", unlessEmpty(spec.arguments(), ShellQuoting::of));
    fields.value("directory", spec.cwd());
    fields.value("runs as", spec.runAs());
    fields.value("environment", unlessEmpty(spec.env().keySet(), SpecFormatter::list));
    fields.value("env file", spec.envFile());
    fields.value("secrets", unlessEmpty(spec.secrets().keySet(), SpecFormatter::list));
    fields.value("array", spec.array());
    fields.value("after", unlessEmpty(spec.after(), SpecFormatter::dependencies));
    fields.value("lane", spec.lane());
    fields.value("single", spec.single());
    fields.value("restart", spec.restart() ? "always" : null);
    fields.value("slots", spec.slots() + " in pool " + spec.pool());
    fields.value("needs", DemandFormatter.needs(spec));
    fields.value("requires", spec.requires());
    fields.value("rank", spec.rank());
    fields.value("near", spec.preferredNode());
    fields.value("priority", details.job().priority() == 0 ? null : details.job().priority());
    fields.value("timeout", spec.timeout() == null ? null : Durations.format(spec.timeout()));
    fields.value("failover", spec.failover() == null ? null : Durations.format(spec.failover()));
    fields.value("retries", SpecFormatter.retries(spec.retry()));
    fields.value("notifies", NotificationFormatter.of(spec.notification()));
  }

  private static <C extends Collection<?>> String unlessEmpty(C given, Function<C, String> format) {
    return given == null || given.isEmpty() ? null : format.apply(given);
  }

  private Table requests() {
    Table table =
        new Table(
            Column.right("FROM TRY"),
            Column.right("AGE"),
            Column.left("POOL", 20),
            Column.right("MEMORY"),
            Column.right("TIMEOUT"),
            Column.left("REASON", 60));
    for (ResourceAdjustment one : details.adjustments()) {
      table.row(
          String.valueOf(one.attempt()),
          Ages.since(one.at(), now),
          one.pool(),
          one.memory() == null ? "-" : Sizes.readable(one.memory().bytes()),
          one.timeout() == null ? "-" : Durations.format(one.timeout()),
          one.reason() == null ? "as submitted" : one.reason());
    }
    return table;
  }

  private void errorTail() {
    for (int i = details.attempts().size() - 1; i >= 0; i--) {
      AttemptView attempt = details.attempts().get(i);
      if (attempt.stderrTail() != null) {
        fields.quote("End of stderr of attempt " + attempt.number(), attempt.stderrTail());
        return;
      }
    }
  }

  /** Times of the events, and the time since the previous one. */
  static Table timeline(List<JobEvent> history) {
    Table table =
        new Table(
            Column.left("AT"),
            Column.right("AFTER"),
            Column.left("STATE"),
            Column.left("EVENT", 76));
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

  /** Formats the requirements of a job; null for those that it does not have. */
  private static final class SpecFormatter {
    private SpecFormatter() {}

    /** Sorted, separated by spaces. */
    static String list(Collection<?> things) {
      return things.stream().map(String::valueOf).sorted().collect(Collectors.joining(" "));
    }

    /** {@code 17 ok, 18 any}. */
    static String dependencies(List<Dependency> after) {
      return after.stream()
          .map(one -> one.job() + " " + JobFormatter.lowerCase(one.end()))
          .collect(Collectors.joining(", "));
    }

    /** {@code 3, first after 1s, at most 5m, on exit signal, not after exit code 2}. */
    static String retries(RetryPolicy retry) {
      if (retry.max() == 0) {
        return null;
      }
      StringBuilder text = new StringBuilder().append(retry.max());
      text.append(", first after ").append(Durations.format(retry.backoff()));
      text.append(", at most ").append(Durations.format(retry.maxBackoff()));
      if (retry.on().size() < FailureKind.values().length) {
        text.append(", on ").append(list(retry.on()));
      }
      if (!retry.exitCodes().isEmpty()) {
        text.append(", only exit codes ").append(list(new TreeSet<>(retry.exitCodes())));
      }
      if (!retry.finalExitCodes().isEmpty()) {
        text.append(", never exit codes ").append(list(new TreeSet<>(retry.finalExitCodes())));
      }
      if (retry.scale() != null) {
        text.append(", resources ").append(retry.scale());
      }
      if (!retry.fallback().isEmpty()) {
        text.append(", then in pool ").append(String.join(", ", retry.fallback()));
      }
      return text.toString();
    }
  }
}
