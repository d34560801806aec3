package io.millrace.cli.job;

import io.millrace.api.job.JobEvent;
import io.millrace.cli.output.Ages;
import io.millrace.cli.output.Column;
import io.millrace.cli.output.Table;
import java.time.Instant;
import java.util.List;

/** A job's history as a timeline: when, and how long after the line before. */
final class HistoryTable {
  private HistoryTable() {}

  static Table of(List<JobEvent> history) {
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
}
