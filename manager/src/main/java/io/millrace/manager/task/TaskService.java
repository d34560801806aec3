package io.millrace.manager.task;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.task.ChunkReport.CounterValue;
import io.millrace.api.task.OverlapRule;
import io.millrace.api.task.RunCause;
import io.millrace.api.task.RunState;
import io.millrace.api.task.TaskRunView;
import io.millrace.api.task.TaskView.TaskPause;
import io.millrace.manager.task.RunDao.NewRun;
import io.millrace.manager.task.ScheduleDao.ScheduleRow;
import io.millrace.manager.task.TaskDefinitions.VersionedTask;
import io.millrace.platform.database.Database;
import io.millrace.platform.database.DatabaseTime;
import java.time.Instant;
import java.util.List;
import org.jdbi.v3.core.Handle;

/** What people and programs do with tasks. Thread-safe; blocks on the database. */
public final class TaskService {
  private final Database database;
  private final DatabaseTime time;
  private final TaskDefinitions definitions;
  private final TaskLaunching launching;
  private final RunLifecycle lifecycle;
  private final TaskViews views;

  public TaskService(
      Database database,
      TaskDefinitions definitions,
      TaskLaunching launching,
      RunLifecycle lifecycle,
      TaskViews views) {
    this.database = database;
    this.time = new DatabaseTime(database.dialect());
    this.definitions = definitions;
    this.launching = launching;
    this.lifecycle = lifecycle;
    this.views = views;
  }

  /**
   * Runs it now, whatever its schedule and window say.
   *
   * @throws MillraceException UNKNOWN_TASK; CONFLICT when it is paused, or when its overlap rule
   *     lets no further run begin or wait
   */
  public TaskRunView run(String name, String who) {
    launching.adopt(name);
    return database.transaction(
        handle -> {
          ScheduleRow row = ScheduleDao.lock(handle, name).orElseThrow();
          VersionedTask task = definitions.version(name, row.version());
          if (row.paused()) {
            throw conflict(
                "task "
                    + name
                    + " is paused"
                    + (row.pausedBy() == null ? "" : " by " + row.pausedBy())
                    + "; 'millrace task resume "
                    + name
                    + "' first");
          }
          Instant now = time.now(handle);
          List<RunRow> open = RunDao.open(handle, name);
          boolean waits = makeWay(handle, task, open, who, now);
          NewRun run =
              new NewRun(
                  name,
                  task.version(),
                  RunCause.MANUAL,
                  now,
                  RunState.QUEUED,
                  waits ? "waits for the end of the run before" : null,
                  who);
          long id = RunDao.insert(handle, run, now).orElseThrow();
          lifecycle.startNext(handle, name, now);
          return views.view(handle, RunDao.find(handle, id).orElseThrow());
        });
  }

  /** Whether a run by hand has to wait for another. One that waits for its window waits on. */
  private boolean makeWay(
      Handle handle, VersionedTask task, List<RunRow> open, String who, Instant now) {
    if (open.stream().noneMatch(run -> run.state() == RunState.RUNNING)) {
      return false;
    }
    RunRow running = open.get(0);
    if (task.overlap() == OverlapRule.REPLACE) {
      String reason = "replaced by a run that " + who + " started by hand";
      open.forEach(run -> lifecycle.requestStop(handle, run, RunState.STOPPED, reason, now));
    } else if (task.overlap() == OverlapRule.SKIP || open.size() > 1) {
      throw conflict(
          "run "
              + running.id()
              + " of "
              + task.name()
              + " is "
              + running.state()
              + (open.size() > 1 ? ", and run " + open.get(1).id() + " waits for it" : "")
              + "; wait for it, or 'millrace task stop "
              + task.name()
              + "' first");
    }
    return true;
  }

  /** Nothing of it is started any more; a run that lasts goes on. */
  public void pause(String name, TaskPause request, String who) {
    launching.adopt(name);
    launching.pause(name, request, who);
  }

  /** It is started again. */
  public void resume(String name) {
    launching.adopt(name);
    launching.resume(name);
  }

  /**
   * Stops a run and its workers.
   *
   * @throws MillraceException UNKNOWN_RUN; CONFLICT when it has ended
   */
  public TaskRunView stop(long id, String who) {
    return locked(
        id,
        (handle, run, now) -> {
          if (run.state().ended()) {
            throw conflict("run " + id + " of " + run.task() + " has ended: " + run.state());
          }
          lifecycle.requestStop(handle, run, RunState.STOPPED, "stopped by " + who, now);
        });
  }

  /**
   * Does again what failed or was left over in a run that ended.
   *
   * @throws MillraceException UNKNOWN_RUN; CONFLICT when it did not fail, or another run is open
   */
  public TaskRunView retry(long id) {
    return locked(
        id,
        (handle, run, now) -> {
          if ((run.state() != RunState.FAILED && run.state() != RunState.STOPPED)
              || run.startedAt() == null) {
            throw conflict(
                "run "
                    + id
                    + " of "
                    + run.task()
                    + " is "
                    + run.state()
                    + "; only one that started and FAILED or was STOPPED is done again");
          }
          List<RunRow> open = RunDao.open(handle, run.task());
          if (!open.isEmpty()) {
            throw conflict(
                "run " + open.get(0).id() + " of " + run.task() + " lasts; wait for its end");
          }
          TaskWorkerDao.pendFailed(handle, id);
          RunDao.forgetFailures(handle, id);
          lifecycle.start(handle, run, now);
        });
  }

  private interface Change {
    void make(Handle handle, RunRow run, Instant now);
  }

  private TaskRunView locked(long id, Change change) {
    RunRow seen = find(id);
    return database.transaction(
        handle -> {
          ScheduleDao.lock(handle, seen.task());
          RunRow run = RunDao.lock(handle, id).orElseThrow(() -> RunService.unknown(id));
          change.make(handle, run, time.now(handle));
          return views.view(handle, RunDao.find(handle, id).orElseThrow());
        });
  }

  /** Takes numbers of the task's shared counter (H-020). */
  public CounterValue count(String name, int count) {
    launching.adopt(name);
    long last = database.transaction(handle -> ScheduleDao.count(handle, name, count));
    return new CounterValue(last - count + 1, count);
  }

  private RunRow find(long id) {
    return database
        .read(handle -> RunDao.find(handle, id))
        .orElseThrow(() -> RunService.unknown(id));
  }

  private static MillraceException conflict(String words) {
    return new MillraceException(ErrorCode.CONFLICT, words);
  }
}
