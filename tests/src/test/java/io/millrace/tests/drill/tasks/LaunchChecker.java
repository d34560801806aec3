package io.millrace.tests.drill.tasks;

import io.millrace.api.task.RunCause;
import io.millrace.api.task.RunState;
import io.millrace.api.task.ScheduleDefinition.CatchUpRule;
import io.millrace.api.task.TaskRunView;
import io.millrace.tests.drill.check.Availability.Span;
import io.millrace.tests.drill.tasks.LaunchJournal.Launch;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;

/**
 * Checks that each planned time of a task was launched once or recorded once, for the runs of one
 * task, all of which have ended. An instance is used once.
 */
final class LaunchChecker {
  /** A planned time that is handled within this delay is never missed. */
  private static final Duration TOLERANCE = Duration.ofSeconds(30);

  private final DrillTask task;
  private final List<TaskRunView> runs;
  private final LaunchJournal journal;
  private final Predicate<Span> nodesHit;
  private final List<String> violations = new ArrayList<>();

  private LaunchChecker(
      DrillTask task, List<TaskRunView> runs, LaunchJournal journal, Predicate<Span> nodesHit) {
    this.task = task;
    this.nodesHit = nodesHit;
    this.runs = runs.stream().sorted(Comparator.comparing(TaskRunView::plannedAt)).toList();
    this.journal = journal;
  }

  /**
   * All violations as text.
   *
   * @param nodesHit whether a fault hit an execution node in that span, so that a run may have been
   *     retried
   */
  static List<String> violations(
      DrillTask task, List<TaskRunView> runs, LaunchJournal journal, Predicate<Span> nodesHit) {
    LaunchChecker judge = new LaunchChecker(task, runs, journal, nodesHit);
    for (int at = 0; at < judge.runs.size(); at++) {
      TaskRunView run = judge.runs.get(at);
      judge.judgeEnd(run);
      judge.judgeRule(run, at);
      if (at > 0) {
        judge.judgeStep(judge.runs.get(at - 1), run);
      }
    }
    return judge.violations;
  }

  private void judgeEnd(TaskRunView run) {
    List<Launch> lines = journal.of(run.id());
    switch (run.state()) {
      case SUCCEEDED -> {
        requireThat(itselfOnce(run, lines), run, "wrote " + lines + " instead of one line");
        requireThat(
            !run.startedAt().isBefore(run.plannedAt()), run, "started before its planned time");
      }
      case MISSED -> {
        requireThat(lines.isEmpty(), run, "ran nevertheless");
        requireThat(
            paused(run) || run.endedAt().isAfter(run.plannedAt().plus(TOLERANCE)),
            run,
            "was recorded as missed before it was late");
      }
      case SKIPPED -> requireThat(lines.isEmpty(), run, "ran nevertheless");
      case QUEUED, RUNNING, FAILED, STOPPED -> requireThat(false, run, "should have succeeded");
    }
  }

  // Further attempts of the same job are allowed only after a node was hit, a second job never.
  private boolean itselfOnce(TaskRunView run, List<Launch> lines) {
    boolean once = !lines.isEmpty();
    for (int i = 0; i < lines.size(); i++) {
      Launch line = lines.get(i);
      once &= line.planned().equals(run.plannedAt());
      if (i > 0) {
        Launch before = lines.get(i - 1);
        once &=
            line.attempt().job() == before.attempt().job()
                && line.attempt().number() > before.attempt().number()
                && nodesHit.test(new Span(before.at(), line.at()));
      }
    }
    return once;
  }

  private void judgeRule(TaskRunView run, int at) {
    if (task.catchUp() == CatchUpRule.NONE) {
      requireThat(run.cause() != RunCause.CATCH_UP, run, "was caught up although catchUp is none");
      return;
    }
    boolean missed = run.state() == RunState.MISSED && !paused(run);
    boolean lastOfBlock = at + 1 < runs.size() && runs.get(at + 1).state() != RunState.MISSED;
    if (missed && lastOfBlock && task.catchUp() == CatchUpRule.ALL) {
      List<TaskRunView> after =
          runs.subList(at + 1, Math.min(runs.size(), at + 1 + DrillTask.LIMIT));
      requireThat(
          after.stream().allMatch(one -> one.cause() == RunCause.CATCH_UP || paused(one)),
          run,
          "was missed although fewer than " + DrillTask.LIMIT + " were caught up after it");
    }
    requireThat(
        !missed || at + 1 < runs.size(), run, "was missed, but no later time was caught up");
  }

  /** Checks that no planned time is between two records and none is in both. */
  private void judgeStep(TaskRunView before, TaskRunView run) {
    Instant from = first(run);
    Duration own = task.interval(run.version());
    requireThat(
        from.plus(own.multipliedBy(run.plannedTimes() - 1)).equals(run.plannedAt()),
        run,
        "covers " + run.plannedTimes() + " planned times from " + from);
    if (run.version() == before.version()) {
      requireThat(
          before.plannedAt().plus(own).equals(from), run, "does not follow " + words(before));
      return;
    }
    // A change may take effect at any moment before the next planned time of each version in
    // between.
    Duration most = own;
    for (int version = before.version(); version < run.version(); version++) {
      most = most.plus(task.interval(version));
    }
    boolean follows =
        from.isAfter(before.plannedAt()) && from.isBefore(before.plannedAt().plus(most));
    requireThat(follows, run, "does not follow " + words(before) + " of the version before");
  }

  private static Instant first(TaskRunView run) {
    return run.plannedFrom() == null ? run.plannedAt() : run.plannedFrom();
  }

  private static boolean paused(TaskRunView run) {
    return run.by() != null;
  }

  private void requireThat(boolean kept, TaskRunView run, String words) {
    if (!kept) {
      violations.add(words(run) + " " + words);
    }
  }

  private static String words(TaskRunView run) {
    return "run "
        + run.id()
        + " of "
        + run.task()
        + " version "
        + run.version()
        + " ("
        + run.state()
        + ", "
        + run.cause()
        + ", planned "
        + run.plannedAt()
        + ")";
  }
}
