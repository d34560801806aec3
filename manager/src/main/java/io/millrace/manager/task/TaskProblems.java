package io.millrace.manager.task;

import io.millrace.api.Durations;
import io.millrace.api.insight.Overview.Alert;
import io.millrace.api.task.RunState;
import io.millrace.manager.task.ScheduleDao.ScheduleRow;
import io.millrace.platform.database.Database;
import io.millrace.platform.database.DatabaseTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jdbi.v3.core.Handle;

/** Problems of tasks for operators. Thread-safe; blocks on the database. */
public final class TaskProblems {
  private static final Duration LATE = Duration.ofSeconds(30);
  private static final Duration RECENT = Duration.ofDays(1);
  private static final int MAX = 20;
  private static final int MAX_COUNTED = 1000;

  private final Database database;
  private final DatabaseTime time;

  public TaskProblems(Database database) {
    this.database = database;
    this.time = new DatabaseTime(database.dialect());
  }

  /** Late tasks, tasks whose last run failed, and planned times missed within the last day. */
  public List<Alert> all() {
    return database.read(this::all);
  }

  private List<Alert> all(Handle handle) {
    Instant now = time.now(handle);
    List<Alert> alerts = new ArrayList<>();
    ScheduleDao.late(handle, now.minus(LATE), MAX).stream()
        .map(row -> late(row, now))
        .forEach(alerts::add);
    RunDao.endedSince(handle, RunState.FAILED, now.minus(RECENT), MAX).stream()
        .filter(run -> isLast(handle, run))
        .map(TaskProblems::failed)
        .forEach(alerts::add);
    Map<String, List<RunRow>> missed = new LinkedHashMap<>();
    RunDao.endedSince(handle, RunState.MISSED, now.minus(RECENT), MAX_COUNTED).stream()
        // Times that pass in a pause are missed by request.
        .filter(run -> run.saidBy() == null)
        .forEach(run -> missed.computeIfAbsent(run.task(), task -> new ArrayList<>()).add(run));
    missed.values().stream().limit(MAX).map(TaskProblems::missed).forEach(alerts::add);
    return alerts;
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
            .formatted(row.task(), Durations.format(Duration.ofSeconds(since.toSeconds()))));
  }

  private static Alert failed(RunRow run) {
    return new Alert(
        "TASK_RUN_FAILED",
        run.task(),
        "run %d of task %s failed%s. 'millrace task history %s' shows its runs"
            .formatted(run.id(), run.task(), suffix(run.reason()), run.task()));
  }

  private static Alert missed(List<RunRow> runs) {
    RunRow last = runs.get(0);
    return new Alert(
        "TASK_RUNS_MISSED",
        last.task(),
        "task %s missed planned times within the last day, most recently %s%s. Its catchUp rule decides whether missed times are run later"
            .formatted(last.task(), last.plannedAt(), suffix(last.reason())));
  }

  private static String suffix(String reason) {
    return reason == null ? "" : ": " + reason;
  }
}
