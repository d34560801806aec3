package io.millrace.cli.task;

import io.millrace.api.task.RunState;
import io.millrace.api.task.TaskRunView;
import io.millrace.api.task.TaskView;
import io.millrace.cli.output.Ages;
import io.millrace.cli.output.Figures;
import io.millrace.cli.output.Palette.Style;
import io.millrace.cli.output.ShellQuoting;
import io.millrace.cli.output.Table;
import io.millrace.cli.output.Table.Cell;
import io.millrace.cli.output.Table.Column;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.TreeMap;

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

  /** {@code run times of 18 runs: …}, of those that started and ended; null for fewer than two. */
  static String times(List<TaskRunView> runs) {
    List<Duration> took =
        runs.stream()
            .filter(run -> run.startedAt() != null && run.endedAt() != null)
            .map(run -> Duration.between(run.startedAt(), run.endedAt()))
            .sorted()
            .toList();
    return took.size() < 2
        ? null
        : "run times of %d runs: shortest %s, median %s, longest %s"
            .formatted(
                took.size(),
                Ages.took(took.get(0)),
                Ages.took(median(took)),
                Ages.took(took.get(took.size() - 1)));
  }

  /** The middle one of sorted times, or the mean of the two in the middle. */
  private static Duration median(List<Duration> sorted) {
    Duration upper = sorted.get(sorted.size() / 2);
    Duration lower = sorted.get((sorted.size() - 1) / 2);
    return lower.plus(upper.minus(lower).dividedBy(2));
  }

  /** {@code manual by ann, with DAY=2026-03-01 --full}. */
  static String cause(TaskRunView run) {
    StringBuilder cause = new StringBuilder(lowerCase(run.cause()));
    if (run.by() != null) {
      cause.append(" by ").append(run.by());
    }
    if (run.parameters() != null) {
      cause.append(", with");
      new TreeMap<>(run.parameters().env())
          .forEach(
              (name, value) ->
                  cause
                      .append(' ')
                      .append(name)
                      .append('=')
                      .append(ShellQuoting.of(List.of(value))));
      run.parameters()
          .arguments()
          .forEach(argument -> cause.append(' ').append(ShellQuoting.of(List.of(argument))));
    }
    return cause.toString();
  }

  // A workflow is written so that nobody takes its number for that of a job.
  private static String job(TaskRunView run) {
    if (run.workflow() != null) {
      return "workflow " + run.workflow().id();
    }
    return run.manager() == null ? "-" : run.manager().toString();
  }

  /** Runs, one per row; the cause is last, because what a run was given may be long. */
  static Table table(List<TaskRunView> runs, Instant now) {
    Table table =
        new Table(
            Column.right("RUN"),
            Column.left("PLANNED"),
            Column.left("STATE"),
            Column.right("TOOK"),
            Column.right("JOB"),
            Column.left("PROGRESS"),
            Column.left("REASON", 60),
            Column.left("CAUSE"));
    for (TaskRunView run : runs) {
      table.row(
          String.valueOf(run.id()),
          run.plannedAt(),
          state(run.state()),
          Ages.between(run.startedAt(), run.endedAt() == null ? now : run.endedAt()),
          job(run),
          progress(run),
          run.reason() == null ? "" : run.reason(),
          cause(run));
    }
    return table;
  }
}
