package io.millrace.manager.task;

import io.millrace.api.ErrorCode;
import io.millrace.api.MessageText;
import io.millrace.api.MillraceException;
import io.millrace.api.task.ChunkHandout.ChunkReport.CounterValue;
import io.millrace.api.task.RunCause;
import io.millrace.api.task.RunParameters;
import io.millrace.api.task.RunState;
import io.millrace.api.task.ScheduleDefinition.OverlapRule;
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

/** Runs, pauses and stops tasks. Thread-safe; blocks on the database. */
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
   * Runs a task now, regardless of its schedule and window.
   *
   * @param parameters what the run adds to the definition; a rerun of its failed work has them too
   * @throws MillraceException UNKNOWN_TASK; INVALID_REQUEST for parameters that the definition does
   *     not admit; CONFLICT when it is paused, or when its overlap rule allows no further run
   */
  public TaskRunView run(String name, RunParameters parameters, String actor) {
    launching.adopt(name);
    return database.transaction(
        handle -> {
          ScheduleRow row = TaskLaunching.lockKept(handle, name);
          VersionedTask task = definitions.version(name, row.version());
          ParameterRules.check(task.definition(), parameters);
          if (row.paused()) {
            throw conflict(
                "task %s is paused%s; resume it first with 'millrace task resume %s'"
                    .formatted(name, row.pausedBy() == null ? "" : " by " + row.pausedBy(), name));
          }
          Instant now = time.now(handle);
          List<RunRow> open = RunDao.open(handle, name);
          boolean waits = makeWay(handle, task, open, actor, now);
          NewRun run =
              new NewRun(
                  name,
                  task.version(),
                  RunCause.MANUAL,
                  now,
                  RunState.QUEUED,
                  waits ? "waiting for the previous run to end" : null,
                  actor);
          long id = RunDao.insert(handle, run, now).orElseThrow();
          if (!parameters.none()) {
            RunParameterDao.insert(handle, id, parameters);
          }
          lifecycle.startNext(handle, name, now);
          return views.view(handle, RunDao.find(handle, id).orElseThrow());
        });
  }

  /**
   * Makes way for a manual run according to the overlap rule; whether it has to wait. A run that
   * waits for its window keeps waiting.
   */
  private boolean makeWay(
      Handle handle, VersionedTask task, List<RunRow> open, String actor, Instant now) {
    if (open.stream().noneMatch(run -> run.state() == RunState.RUNNING)) {
      return false;
    }
    RunRow running = open.get(0);
    if (task.overlap() == OverlapRule.REPLACE) {
      String reason = "replaced by a run started by " + actor;
      open.forEach(run -> lifecycle.requestStop(handle, run, RunState.STOPPED, reason, now));
    } else if (task.overlap() == OverlapRule.SKIP || open.size() > 1) {
      throw conflict(
          "run %d of %s is %s%s; wait for it, or stop it first with 'millrace task stop %s'"
              .formatted(
                  running.id(),
                  task.name(),
                  MessageText.of(running.state()),
                  open.size() > 1 ? ", and run " + open.get(1).id() + " is waiting for it" : "",
                  task.name()));
    }
    return true;
  }

  /** Pauses a task: nothing is started; a run in progress continues. */
  public void pause(String name, TaskPause request, String actor) {
    launching.adopt(name);
    launching.pause(name, request, actor);
  }

  /** Resumes a paused task. */
  public void resume(String name) {
    launching.adopt(name);
    launching.resume(name);
  }

  /**
   * Stops a run and its workers.
   *
   * @throws MillraceException UNKNOWN_RUN; CONFLICT when it has ended
   */
  public TaskRunView stop(long id, String actor) {
    return locked(
        id,
        (handle, run, now) -> {
          if (run.state().ended()) {
            throw conflict(
                "run %d of %s has ended: %s"
                    .formatted(id, run.task(), MessageText.of(run.state())));
          }
          lifecycle.requestStop(handle, run, RunState.STOPPED, "stopped by " + actor, now);
        });
  }

  /**
   * Reruns the failed and unfinished work of a run that ended.
   *
   * @throws MillraceException UNKNOWN_RUN; CONFLICT when it neither failed nor was stopped, or
   *     another run is open
   */
  public TaskRunView retry(long id) {
    return locked(
        id,
        (handle, run, now) -> {
          if ((run.state() != RunState.FAILED && run.state() != RunState.STOPPED)
              || run.startedAt() == null) {
            throw conflict(
                "run %d of %s cannot be rerun: its state is %s; only a run that started and then failed or was stopped can"
                    .formatted(id, run.task(), MessageText.of(run.state())));
          }
          TaskLaunching.lockKept(handle, run.task());
          List<RunRow> open = RunDao.open(handle, run.task());
          if (!open.isEmpty()) {
            throw conflict(
                "run %d of %s is still open; wait for it to end"
                    .formatted(open.get(0).id(), run.task()));
          }
          TaskWorkerDao.pendFailed(handle, id);
          RunDao.forgetFailures(handle, id);
          lifecycle.start(handle, run, now);
        });
  }

  private interface TaskChange {
    void make(Handle handle, RunRow run, Instant now);
  }

  private TaskRunView locked(long id, TaskChange change) {
    RunRow seen = find(id);
    return database.transaction(
        handle -> {
          ScheduleDao.lock(handle, seen.task());
          RunRow run = RunDao.lock(handle, id).orElseThrow(() -> RunService.unknown(id));
          change.make(handle, run, time.now(handle));
          return views.view(handle, RunDao.find(handle, id).orElseThrow());
        });
  }

  /** Takes numbers from the task's shared counter (H-020). */
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

  private static MillraceException conflict(String text) {
    return new MillraceException(ErrorCode.CONFLICT, text);
  }
}
