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

/** Tasks and their runs in words. */
final class RunFormatter {
  private RunFormatter() {}

  /** A state as a coloured word. */
  static Cell state(RunState state) {
    Style style =
        switch (state) {
          case QUEUED, SKIPPED -> Style.WARNING;
          case RUNNING -> Style.ACTIVE;
          case SUCCEEDED -> Style.GOOD;
          case FAILED, MISSED -> Style.BAD;
          case STOPPED -> Style.FAINT;
        };
    return new Cell(word(state), style);
  }

  /** An enum value as people write it. */
  static String word(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT).replace('_', ' ');
  }

  /**
   * How far it is: {@code 312 of 1,000 done, 3 failed, 20 running}; a dash if nothing was begun, or
   * how many planned times were missed together.
   */
  static String progress(TaskRunView run) {
    if (run.startedAt() == null) {
      return run.plannedTimes() == 1 ? "-" : Figures.count(run.plannedTimes()) + " planned times";
    }
    String words =
        Figures.count(run.done())
            + (run.total() == 0 ? "" : " of " + Figures.count(run.total()))
            + " done";
    words += run.failed() == 0 ? "" : ", " + Figures.count(run.failed()) + " failed";
    return words + (run.running() == 0 ? "" : ", " + Figures.count(run.running()) + " running");
  }

  /** {@code run 17 failed: …}. */
  static String ending(TaskRunView run) {
    return "run "
        + run.id()
        + " of "
        + run.task()
        + " "
        + word(run.state())
        + (run.reason() == null ? "" : ": " + run.reason());
  }

  /** Whether it is paused, and until when. */
  static String pause(TaskView task) {
    if (!task.paused()) {
      return null;
    }
    return "paused"
        + (task.pausedBy() == null ? "" : " by " + task.pausedBy())
        + (task.pausedUntil() == null ? "" : " until " + task.pausedUntil())
        + (task.pauseReason() == null ? "" : ": " + task.pauseReason());
  }

  /** Runs, one a line. */
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
          word(run.cause()) + (run.by() == null ? "" : " by " + run.by()),
          state(run.state()),
          Ages.between(run.startedAt(), run.endedAt() == null ? now : run.endedAt()),
          progress(run),
          run.reason() == null ? "" : run.reason());
    }
    return table;
  }
}
