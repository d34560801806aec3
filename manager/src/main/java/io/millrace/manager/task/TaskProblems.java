package io.millrace.manager.task;

import io.millrace.api.Durations;
import io.millrace.api.insight.Overview.Alert;
import io.millrace.api.task.RunState;
import io.millrace.manager.definition.DefinitionDao;
import io.millrace.manager.task.ScheduleDao.ScheduleRow;
import io.millrace.manager.task.TaskDefinitions.TaskKind;
import io.millrace.platform.database.Database;
import io.millrace.platform.database.DatabaseTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jdbi.v3.core.Handle;

/** Problems of tasks for operators. Thread-safe; blocks on the database. */
public final class TaskProblems {
  private static final Duration LATE = Duration.ofSeconds(30);
  private static final Duration RECENT = Duration.ofDays(1);
  // More than are listed, so that the rest is counted.
  private static final int MAX = 100;
  private static final int MAX_COUNTED = 1000;

  private final Database database;
  private final DatabaseTime time;
  private final TaskDefinitions definitions;

  public TaskProblems(Database database, TaskDefinitions definitions) {
    this.database = database;
    this.definitions = definitions;
    this.time = new DatabaseTime(database.dialect());
  }

  /**
   * Late tasks, runs that take too long, tasks whose last run failed, and planned times missed
   * within the last day.
   */
  public List<Alert> all() {
    return database.read(this::all);
  }

  /** Number of tasks that were due and not launched, at most {@value #MAX_COUNTED}. */
  public int late() {
    return database.read(
        handle -> ScheduleDao.late(handle, time.now(handle).minus(LATE), MAX_COUNTED).size());
  }

  private List<Alert> all(Handle handle) {
    Instant now = time.now(handle);
    Map<String, Boolean> defined = new HashMap<>();
    List<Alert> alerts = new ArrayList<>();
    ScheduleDao.late(handle, now.minus(LATE), MAX).stream()
        .map(row -> late(row, now))
        .forEach(alerts::add);
    RunDao.in(handle, RunState.RUNNING).stream()
        .flatMap(run -> hung(run, now).stream())
        .limit(MAX)
        .forEach(alerts::add);
    RunDao.endedSince(handle, RunState.FAILED, now.minus(RECENT), MAX).stream()
        .filter(run -> isLast(handle, run) && isDefined(handle, run.task(), defined))
        .map(TaskProblems::failed)
        .forEach(alerts::add);
    Map<String, List<RunRow>> missed = new LinkedHashMap<>();
    RunDao.endedSince(handle, RunState.MISSED, now.minus(RECENT), MAX_COUNTED).stream()
        // Times that pass in a pause are missed by request.
        .filter(run -> run.saidBy() == null && isDefined(handle, run.task(), defined))
        .forEach(run -> missed.computeIfAbsent(run.task(), task -> new ArrayList<>()).add(run));
    missed.values().stream().limit(MAX).map(TaskProblems::missed).forEach(alerts::add);
    return alerts;
  }

  // Of a deleted task only the history is left.
  private static boolean isDefined(Handle handle, String task, Map<String, Boolean> known) {
    return known.computeIfAbsent(
        task, name -> DefinitionDao.inForce(handle, TaskKind.KEYWORD, name).isPresent());
  }

  // A later success makes up for it.
  private boolean isLast(Handle handle, RunRow failed) {
    return RunDao.lastEnded(handle, failed.task())
        .filter(last -> last.id() == failed.id())
        .isPresent();
  }

  private static Alert late(ScheduleRow row, Instant now) {
    Duration since = Duration.between(row.next().dueAt(), now);
    return new Alert(
            "TASK_LATE",
            row.task(),
            "task %s was due %s ago and was not launched; the logs of the central managers show why"
                .formatted(row.task(), Durations.format(Duration.ofSeconds(since.toSeconds()))))
        .since(row.next().dueAt());
  }

  private Optional<Alert> hung(RunRow run, Instant now) {
    Duration allowed =
        RunWatch.hungAfter(definitions.version(run.task(), run.version()).definition());
    Instant since = run.startedAt().plus(allowed);
    if (since.isAfter(now)) {
      return Optional.empty();
    }
    return Optional.of(
        new Alert(
                "TASK_RUN_HUNG",
                run.task(),
                "run %d of task %s has been running for more than %s. 'millrace task logs %s' shows what it does, 'millrace task stop %s' ends it; notify.hungAfter sets how long it may take, timeout ends it by itself"
                    .formatted(
                        run.id(), run.task(), Durations.format(allowed), run.task(), run.task()))
            .since(since));
  }

  private static Alert failed(RunRow run) {
    return new Alert(
            "TASK_RUN_FAILED",
            run.task(),
            "run %d of task %s failed%s. 'millrace task history %s' shows its runs"
                .formatted(run.id(), run.task(), suffix(run.reason()), run.task()))
        .since(run.endedAt());
  }

  private static Alert missed(List<RunRow> runs) {
    RunRow last = runs.get(0);
    return new Alert(
            "TASK_RUNS_MISSED",
            last.task(),
            "task %s missed planned times within the last day, most recently %s%s. Its catchUp rule decides whether missed times are run later"
                .formatted(last.task(), last.plannedAt(), suffix(last.reason())))
        .since(runs.get(runs.size() - 1).endedAt());
  }

  private static String suffix(String reason) {
    return reason == null ? "" : ": " + reason;
  }
}
