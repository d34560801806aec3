package io.millrace.cli.task;

import io.millrace.api.task.TaskRunView;
import io.millrace.cli.output.Ages;
import io.millrace.cli.output.Column;
import io.millrace.cli.output.Table;
import java.time.Instant;
import java.util.List;

/** Runs of tasks, one a line. */
final class RunTable {
  private RunTable() {}

  static Table of(List<TaskRunView> runs, Instant now) {
    Table table =
        new Table(
            Column.right("RUN"),
            Column.left("PLANNED"),
            Column.left("CAUSE"),
            Column.left("STATE"),
            Column.right("TOOK"),
            Column.left("PROGRESS"),
            Column.left("REASON", 60));
    for (TaskRunView run : runs) {
      table.row(
          run.id(),
          run.plannedAt(),
          RunFormatter.word(run.cause()) + (run.by() == null ? "" : " by " + run.by()),
          RunFormatter.state(run.state()),
          Ages.between(run.startedAt(), run.endedAt() == null ? now : run.endedAt()),
          RunFormatter.progress(run),
          run.reason() == null ? "" : run.reason());
    }
    return table;
  }
}
