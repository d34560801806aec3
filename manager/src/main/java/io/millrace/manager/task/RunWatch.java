package io.millrace.manager.task;

import io.millrace.api.Durations;
import io.millrace.api.notification.Notification;
import io.millrace.api.notification.Notification.Occasion;
import io.millrace.api.task.RunState;
import io.millrace.api.task.TaskDefinition;
import io.millrace.manager.task.ScheduleDao.ScheduleRow;
import io.millrace.platform.claim.Claim;
import io.millrace.platform.claim.ClaimDao;
import io.millrace.platform.database.Database;
import io.millrace.platform.database.DatabaseTime;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jdbi.v3.core.Handle;

/**
 * Notices runs of tasks that are late or hung, if their definition asks for it. Runs as a claimed
 * duty, on one thread.
 */
public final class RunWatch {
  private static final int MAX = 1000;

  private final Database database;
  private final DatabaseTime time;
  private final ClaimDao claims;
  private final TaskDefinitions definitions;
  // What the previous look found, so that a look that finds the same writes nothing. Only touched
  // by
  // the duty's thread.
  private Set<Finding> found = Set.of();

  private record Finding(String task, Occasion occasion, long occurrence) {}

  public RunWatch(Database database, ClaimDao claims, TaskDefinitions definitions) {
    this.database = database;
    this.time = new DatabaseTime(database.dialect());
    this.claims = claims;
    this.definitions = definitions;
  }

  /** How long a run of the task may take before it counts as hung. */
  static Duration hungAfter(TaskDefinition task) {
    return task.notification() == null ? Notification.HUNG_AFTER : task.notification().hungAfter();
  }

  /** One look. */
  public void run(Claim claim) {
    Set<Finding> now = new HashSet<>();
    boolean held =
        database.<Boolean, RuntimeException>transaction(
            handle -> {
              now.clear();
              if (!claims.lock(handle, claim)) {
                return false;
              }
              look(handle, time.now(handle), now);
              return true;
            });
    found = held ? Set.copyOf(now) : Set.of();
  }

  private void look(Handle handle, Instant now, Set<Finding> findings) {
    for (RunRow run : RunDao.in(handle, RunState.RUNNING)) {
      TaskDefinition task = definitions.version(run.task(), run.version()).definition();
      if (RunNotices.asks(task, Occasion.HUNG)
          && !run.startedAt().plus(hungAfter(task)).isAfter(now)
          && isNew(findings, new Finding(run.task(), Occasion.HUNG, run.id()))) {
        String reason = "it has been running for more than " + Durations.format(hungAfter(task));
        RunNotices.hung(handle, task, run, reason, now);
      }
    }
    for (RunRow run : RunDao.in(handle, RunState.QUEUED)) {
      TaskDefinition task = definitions.version(run.task(), run.version()).definition();
      if (late(task, run.plannedAt(), now) && !paused(handle, run.task())) {
        late(handle, task, run.id(), run.plannedAt(), run.reason(), now, findings);
      }
    }
    for (ScheduleRow row : notLaunched(handle, now)) {
      TaskDefinition task = definitions.version(row.task(), row.version()).definition();
      Instant planned = row.next().plannedAt();
      if (late(task, planned, now)) {
        late(handle, task, null, planned, "it was not launched", now, findings);
      }
    }
  }

  private static List<ScheduleRow> notLaunched(Handle handle, Instant now) {
    return ScheduleDao.late(handle, now, MAX);
  }

  private static boolean late(TaskDefinition task, Instant planned, Instant now) {
    return RunNotices.asks(task, Occasion.LATE)
        && !planned.plus(task.notification().lateAfter()).isAfter(now);
  }

  // A task that is paused waits by request.
  private static boolean paused(Handle handle, String task) {
    return ScheduleDao.find(handle, task).filter(ScheduleRow::paused).isPresent();
  }

  private void late(
      Handle handle,
      TaskDefinition task,
      Long run,
      Instant planned,
      String reason,
      Instant now,
      Set<Finding> findings) {
    if (isNew(findings, new Finding(task.name(), Occasion.LATE, planned.toEpochMilli()))) {
      RunNotices.late(handle, task, run, planned, reason, now);
    }
  }

  private boolean isNew(Set<Finding> findings, Finding finding) {
    return findings.add(finding) && !found.contains(finding);
  }
}
