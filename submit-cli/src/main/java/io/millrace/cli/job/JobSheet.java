package io.millrace.cli.job;

import io.millrace.api.job.AttemptView;
import io.millrace.api.job.JobDetails;
import io.millrace.api.job.JobEvent;
import io.millrace.api.job.JobSpec;
import io.millrace.api.job.JobView;
import io.millrace.api.job.RetryPolicy;
import io.millrace.api.quantity.Durations;
import io.millrace.cli.output.Ages;
import io.millrace.cli.output.Column;
import io.millrace.cli.output.Palette;
import io.millrace.cli.output.Sheet;
import io.millrace.cli.output.ShellWords;
import io.millrace.cli.output.Table;
import java.time.Instant;
import java.util.List;

/** All about one job on one page. */
final class JobSheet {
  private final JobDetails details;
  private final Instant now;
  private final Sheet sheet;

  JobSheet(JobDetails details, Instant now, Palette palette) {
    this.details = details;
    this.now = now;
    this.sheet = new Sheet(palette);
  }

  List<String> lines() {
    head();
    program();
    sheet.table("Attempts", attempts());
    sheet.table("History", history());
    lastWords();
    return sheet.lines();
  }

  private void head() {
    JobView job = details.job();
    sheet.title("job " + job.id() + "  " + job.name());
    sheet.value("state", JobWords.state(job.state()));
    sheet.value("result", JobWords.result(job.outcome(), job.exitCode(), job.signal()));
    sheet.value("reason", job.reason());
    sheet.value("kind", JobWords.word(job.kind()));
    sheet.value("queue", job.queue());
    sheet.value("segment", job.segmentNode());
    sheet.value("owner", job.owner());
    sheet.value("submitted", Ages.since(job.submittedAt(), now) + " ago");
    if (job.notBefore() != null && job.notBefore().isAfter(now)) {
      sheet.value("next try", "in " + Ages.between(now, job.notBefore()));
    }
  }

  private void program() {
    JobSpec spec = details.spec();
    sheet.value("command", spec.command() == null ? null : ShellWords.of(spec.command()));
    sheet.value("program", spec.program());
    sheet.value("arguments", spec.arguments().isEmpty() ? null : ShellWords.of(spec.arguments()));
    sheet.value("directory", spec.cwd());
    sheet.value("environment", spec.env().isEmpty() ? null : String.join(" ", spec.env().keySet()));
    sheet.value("slots", spec.slots() + " in pool " + spec.pool());
    sheet.value("priority", spec.priority() == 0 ? null : spec.priority());
    sheet.value("timeout", spec.timeout() == null ? null : Durations.format(spec.timeout()));
    RetryPolicy retry = spec.retry();
    sheet.value(
        "retries",
        retry.max() == 0
            ? null
            : retry.max() + ", first after " + Durations.format(retry.backoff()));
    sheet.value("single", spec.single());
  }

  private Table attempts() {
    Table table =
        new Table(
            Column.right("TRY"),
            Column.left("NODE", 16),
            Column.left("STATE"),
            Column.right("AGE"),
            Column.right("TOOK"),
            Column.left("RESULT"),
            Column.left("REASON", 48));
    for (AttemptView attempt : details.attempts()) {
      table.row(
          String.valueOf(attempt.number()),
          attempt.node(),
          JobWords.state(attempt.state()),
          Ages.since(attempt.recordedAt(), now),
          Ages.between(attempt.startedAt(), attempt.endedAt() == null ? now : attempt.endedAt()),
          JobWords.result(attempt.outcome(), attempt.exitCode(), attempt.signal()),
          attempt.reason() == null ? "" : attempt.reason());
    }
    return table;
  }

  private Table history() {
    Table table =
        new Table(Column.left("AT"), Column.left("STATE"), Column.left("WHAT HAPPENED", 76));
    for (JobEvent event : details.history()) {
      String attempt = event.attempt() == 0 ? "" : " (attempt " + event.attempt() + ")";
      table.row(event.at(), JobWords.state(event.state()), event.words() + attempt);
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
}
