package io.millrace.cli.job;

import io.millrace.api.job.JobState;
import io.millrace.api.job.JobView;
import io.millrace.api.job.JobView.ArrayProgress;
import io.millrace.api.job.JobView.ProgramProgress;
import io.millrace.api.job.Outcome;
import io.millrace.cli.output.Ages;
import io.millrace.cli.output.Escaping;
import io.millrace.cli.output.Figures;
import io.millrace.cli.output.Palette.Style;
import io.millrace.cli.output.Table;
import io.millrace.cli.output.Table.Cell;
import io.millrace.cli.output.Table.Column;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Formats states and results of jobs. */
public final class JobFormatter {
  private JobFormatter() {}

  /** A state as a coloured cell. */
  public static Cell state(JobState state) {
    Style style =
        switch (state) {
          case WAITING, BLOCKED, HELD -> Style.WARNING;
          case PLACED, RUNNING -> Style.ACTIVE;
          case SUCCEEDED -> Style.GOOD;
          case FAILED -> Style.BAD;
          case CANCELLED -> Style.FAINT;
        };
    return new Cell(lowerCase(state), style);
  }

  /** An enum value in lower case, with spaces. */
  public static String lowerCase(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT).replace('_', ' ');
  }

  /**
   * How an attempt ended: {@code exit code 3}, {@code signal 9, timed out}; null if it has not
   * ended.
   */
  public static String result(Outcome outcome, Integer exitCode, Integer signal) {
    if (outcome == null) {
      return null;
    }
    String how =
        signal != null ? "signal " + signal : exitCode != null ? "exit code " + exitCode : null;
    boolean plain =
        outcome == Outcome.SUCCEEDED || outcome == Outcome.FAILED || outcome == Outcome.SIGNALLED;
    if (how == null) {
      return lowerCase(outcome);
    }
    return plain ? how : lowerCase(outcome) + ", " + how;
  }

  /** Its name; of an array's element with the index: {@code sweep[3]}. */
  static String name(JobView job) {
    String index = "[" + job.index() + "]";
    return job.index() == null || job.name().endsWith(index) ? job.name() : job.name() + index;
  }

  /** How far an array is: {@code 312 of 1,000 done, 3 failed, 20 running}. */
  static String progress(ArrayProgress progress) {
    long ended = progress.succeeded() + progress.failed() + progress.cancelled();
    StringBuilder text = new StringBuilder();
    text.append(Figures.count(ended)).append(" of ").append(Figures.count(progress.size()));
    text.append(" done");
    append(text, progress.failed(), " failed");
    append(text, progress.cancelled(), " cancelled");
    append(text, progress.running(), " running");
    return text.toString();
  }

  private static void append(StringBuilder text, long count, String what) {
    if (count > 0) {
      text.append(", ").append(Figures.count(count)).append(what);
    }
  }

  /**
   * What a job's program reports: {@code 63% (252 of 400), reading a.csv, about 4m left}; null for
   * nothing. The remaining time only while it runs.
   */
  static String reported(JobView job, Instant now) {
    ProgramProgress reported = job.programProgress();
    if (reported == null) {
      return null;
    }
    List<String> parts = new ArrayList<>();
    String counts =
        reported.total() == null
            ? null
            : Figures.count(reported.done()) + " of " + Figures.count(reported.total());
    if (reported.percent() != null) {
      // Rounded down, so that only what is complete is shown as complete.
      long percent = (long) Math.floor(reported.percent());
      parts.add(percent + "%" + (counts == null ? "" : " (" + counts + ")"));
    } else if (counts != null) {
      parts.add(counts);
    }
    if (reported.message() != null) {
      parts.add(reported.message());
    }
    if (job.state() == JobState.RUNNING && reported.expectedEnd() != null) {
      parts.add("about " + Ages.age(Duration.between(now, reported.expectedEnd())) + " left");
    }
    return String.join(", ", parts);
  }

  /** As {@link #reported}, with the time of the report. */
  static String reportedWhen(JobView job, Instant now) {
    String reported = reported(job, now);
    return reported == null
        ? null
        : reported + " (" + Ages.since(job.programProgress().reportedAt(), now) + " ago)";
  }

  /** As {@link #remark}; while it runs, what its program reports. */
  static String remark(JobView job, Instant now) {
    boolean reports = job.state() == JobState.RUNNING && job.programProgress() != null;
    if (!reports) {
      return remark(job);
    }
    String reported = reported(job, now);
    return job.progress() == null ? reported : reported + ": " + progress(job.progress());
  }

  /** How a job ended; null before its end. */
  static String result(JobView job) {
    return job.state().ended() ? result(job.outcome(), job.exitCode(), job.signal()) : null;
  }

  /** A note on a job for lists, next to its state: the reason, or else the result. */
  static String remark(JobView job) {
    if (job.progress() != null) {
      return progress(job.progress());
    }
    if (job.reason() != null) {
      return job.reason();
    }
    String result = result(job);
    return result == null || job.state() == JobState.SUCCEEDED ? "" : result;
  }

  /** How a job ended, as the end of a sentence: {@code failed (exit code 3)}. */
  public static String ending(JobView job) {
    String remark = remark(job);
    return lowerCase(job.state()) + (remark.isEmpty() ? "" : " (" + Escaping.text(remark) + ")");
  }

  /** Formats jobs as a table with a row for each. */
  public static final class JobTable {
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
            JobFormatter.remark(job, now));
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
            JobFormatter.lowerCase(job.kind()),
            JobFormatter.name(job),
            job.queue(),
            JobFormatter.state(job.state()),
            String.valueOf(job.attempt()),
            job.node(),
            took(job, now),
            Ages.since(job.submittedAt(), now),
            JobFormatter.remark(job, now));
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
}
