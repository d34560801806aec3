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

/** What an operator should know of tasks. Thread-safe; blocks on the database. */
public final class TaskProblems {
  private static final Duration LATE = Duration.ofSeconds(30);
  private static final Duration RECENT = Duration.ofDays(1);
  private static final int MOST = 20;
  private static final int MOST_COUNTED = 1000;

  private final Database database;
  private final DatabaseTime time;

  public TaskProblems(Database database) {
    this.database = database;
    this.time = new DatabaseTime(database.dialect());
  }

  /** Late schedules, failed last runs, planned times that were missed within the last day. */
  public List<Alert> all() {
    return database.read(this::all);
  }

  private List<Alert> all(Handle handle) {
    Instant now = time.now(handle);
    List<Alert> alerts = new ArrayList<>();
    ScheduleDao.late(handle, now.minus(LATE), MOST).stream()
        .map(row -> late(row, now))
        .forEach(alerts::add);
    RunDao.endedSince(handle, RunState.FAILED, now.minus(RECENT), MOST).stream()
        .filter(run -> isLast(handle, run))
        .map(TaskProblems::failed)
        .forEach(alerts::add);
    Map<String, List<RunRow>> missed = new LinkedHashMap<>();
    RunDao.endedSince(handle, RunState.MISSED, now.minus(RECENT), MOST_COUNTED).stream()
        // What passes in a pause was wanted so by whoever paused it.
        .filter(run -> run.saidBy() == null)
        .forEach(run -> missed.computeIfAbsent(run.task(), task -> new ArrayList<>()).add(run));
    missed.values().stream().limit(MOST).map(TaskProblems::missed).forEach(alerts::add);
    return alerts;
  }

  // A later success has mended it.
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
        "task "
            + row.task()
            + " was due "
            + Durations.format(Duration.ofSeconds(since.toSeconds()))
            + " ago and was not launched; look into the central managers' logs for why");
  }

  private static Alert failed(RunRow run) {
    return new Alert(
        "TASK_RUN_FAILED",
        run.task(),
        "run "
            + run.id()
            + " of task "
            + run.task()
            + " failed"
            + (run.reason() == null ? "" : ": " + run.reason())
            + ". 'millrace task history "
            + run.task()
            + "' shows its runs");
  }

  private static Alert missed(List<RunRow> runs) {
    RunRow last = runs.get(0);
    return new Alert(
        "TASK_RUNS_MISSED",
        last.task(),
        "task "
            + last.task()
            + " missed planned times within the last day, the last one "
            + last.plannedAt()
            + (last.reason() == null ? "" : ": " + last.reason())
            + ". Its catchUp decides whether such times are run later");
  }
}
