package io.millrace.cli.task;

import io.millrace.api.task.RunState;
import io.millrace.api.task.TaskRunView;
import io.millrace.api.task.TaskView;
import io.millrace.cli.output.Ages;
import io.millrace.cli.output.Figures;
import io.millrace.cli.output.Palette.Style;
import io.millrace.cli.output.Table;
import io.millrace.cli.output.Table.Cell;
import io.millrace.cli.output.Table.Column;
import java.time.Instant;
import java.util.List;
import java.util.Locale;

/** Formats tasks and their runs. */
final class RunFormatter {
  private RunFormatter() {}

  /** A state as a coloured cell. */
  static Cell state(RunState state) {
    Style style =
        switch (state) {
          case QUEUED, SKIPPED -> Style.WARNING;
          case RUNNING -> Style.ACTIVE;
          case SUCCEEDED -> Style.GOOD;
          case FAILED, MISSED -> Style.BAD;
          case STOPPED -> Style.FAINT;
        };
    return new Cell(lowerCase(state), style);
  }

  /** An enum value in lower case, with spaces. */
  static String lowerCase(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT).replace('_', ' ');
  }

  /**
   * Progress of a run: {@code 312 of 1,000 done, 3 failed, 20 running}; a dash if it has not
   * started, or the number of planned times that it covers.
   */
  static String progress(TaskRunView run) {
    if (run.startedAt() == null) {
      return run.plannedTimes() == 1 ? "-" : Figures.count(run.plannedTimes()) + " planned times";
    }
    String text =
        Figures.count(run.done())
            + (run.total() == 0 ? "" : " of " + Figures.count(run.total()))
            + " done";
    text += run.failed() == 0 ? "" : ", " + Figures.count(run.failed()) + " failed";
    return text + (run.running() == 0 ? "" : ", " + Figures.count(run.running()) + " running");
  }

  /** {@code run 17 failed: …}. */
  static String ending(TaskRunView run) {
    return "run %d of %s %s%s"
        .formatted(
            run.id(),
            run.task(),
            lowerCase(run.state()),
            run.reason() == null ? "" : ": " + run.reason());
  }

  /** Who paused the task, until when and why; null if it is not paused. */
  static String pause(TaskView task) {
    if (!task.paused()) {
      return null;
    }
    return "paused"
        + (task.pausedBy() == null ? "" : " by " + task.pausedBy())
        + (task.pausedUntil() == null ? "" : " until " + task.pausedUntil())
        + (task.pauseReason() == null ? "" : ": " + task.pauseReason());
  }

  /** Runs, one per row. */
  static Table table(List<TaskRunView> runs, Instant now) {
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
          lowerCase(run.cause()) + (run.by() == null ? "" : " by " + run.by()),
          state(run.state()),
          Ages.between(run.startedAt(), run.endedAt() == null ? now : run.endedAt()),
          progress(run),
          run.reason() == null ? "" : run.reason());
    }
    return table;
  }
}
