package io.millrace.cli.job;

import io.millrace.api.job.JobState;
import io.millrace.api.job.JobView;
import io.millrace.cli.output.Ages;
import io.millrace.cli.output.Table;
import io.millrace.cli.output.Table.Column;
import java.time.Instant;
import java.util.List;

/** Formats jobs as a table with a row for each. */
public final class JobTable {
  private JobTable() {}

  /**
   * Creates the table.
   *
   * @param everyKind whether jobs are of several kinds, so that a column shows the kind
   */
  public static Table of(List<JobView> jobs, boolean everyKind, Instant now) {
    return everyKind ? mixed(jobs, now) : submitted(jobs, now);
  }

  private static Table submitted(List<JobView> jobs, Instant now) {
    Table table =
        new Table(
            Column.right("ID"),
            Column.left("NAME", 28),
            Column.left("STATE"),
            Column.right("TRY"),
            Column.left("NODE", 12),
            Column.right("TOOK"),
            Column.right("AGE"),
            Column.left("REMARK", 40));
    for (JobView job : jobs) {
      table.row(
          String.valueOf(job.id()),
          JobFormatter.name(job),
          JobFormatter.state(job.state()),
          String.valueOf(job.attempt()),
          job.node(),
          took(job, now),
          Ages.since(job.submittedAt(), now),
          JobFormatter.remark(job));
    }
    return table;
  }

  private static Table mixed(List<JobView> jobs, Instant now) {
    Table table =
        new Table(
            Column.right("ID"),
            Column.left("KIND"),
            Column.left("NAME", 28),
            Column.left("QUEUE", 16),
            Column.left("STATE"),
            Column.right("TRY"),
            Column.left("NODE", 12),
            Column.right("TOOK"),
            Column.right("AGE"),
            Column.left("REMARK", 30));
    for (JobView job : jobs) {
      table.row(
          String.valueOf(job.id()),
          JobFormatter.word(job.kind()),
          JobFormatter.name(job),
          job.queue(),
          JobFormatter.state(job.state()),
          String.valueOf(job.attempt()),
          job.node(),
          took(job, now),
          Ages.since(job.submittedAt(), now),
          JobFormatter.remark(job));
    }
    return table;
  }

  private static String took(JobView job, Instant now) {
    // Nothing runs between two attempts, and only ended jobs have the end of the last attempt.
    boolean runs = job.state() == JobState.RUNNING;
    return runs || job.endedAt() != null
        ? Ages.between(job.startedAt(), runs ? now : job.endedAt())
        : "";
  }
}
