package io.millrace.manager.task;

import io.millrace.api.problem.ErrorCode;
import io.millrace.api.problem.MillraceException;
import io.millrace.api.schedule.OverlapRule;
import io.millrace.api.task.ChunkHandout;
import io.millrace.api.task.CounterValue;
import io.millrace.api.task.RunCause;
import io.millrace.api.task.RunState;
import io.millrace.api.task.TaskDefinition;
import io.millrace.api.task.TaskPause;
import io.millrace.api.task.TaskRunView;
import io.millrace.manager.job.JobLedger;
import io.millrace.manager.task.store.RunRow;
import io.millrace.manager.task.store.RunStore.NewRun;
import io.millrace.manager.task.store.ScheduleRow;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jdbi.v3.core.Handle;

/** What people and programs do with tasks. Thread-safe; blocks on the database. */
public final class TaskDesk {
  private final TaskStores stores;
  private final TaskDefinitions definitions;
  private final TaskLaunching launching;
  private final RunLives lives;
  private final TaskViews views;
  private final RunWorkers workers;

  TaskDesk(
      TaskStores stores,
      TaskDefinitions definitions,
      TaskLaunching launching,
      RunLives lives,
      TaskViews views,
      JobLedger ledger) {
    this.stores = stores;
    this.definitions = definitions;
    this.launching = launching;
    this.lives = lives;
    this.views = views;
    this.workers = new RunWorkers(stores, ledger);
  }

  /**
   * Runs it now, whatever its schedule and window say.
   *
   * @throws MillraceException UNKNOWN_TASK; CONFLICT when it is paused, or when its overlap rule
   *     lets no further run begin or wait
   */
  public TaskRunView run(String name, String who) {
    launching.adopt(name);
    return stores
        .database()
        .transaction(
            handle -> {
              ScheduleRow row = stores.schedules().lock(handle, name).orElseThrow();
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
              Instant now = stores.time().now(handle);
              List<RunRow> open = stores.runs().open(handle, name);
              makeWay(handle, task, open, now);
              NewRun run =
                  new NewRun(
                      name,
                      task.version(),
                      RunCause.MANUAL,
                      now,
                      RunState.QUEUED,
                      open.isEmpty() ? null : "waits for the end of the run before",
                      who);
              long id = stores.runs().insert(handle, run, now).orElseThrow();
              lives.startNext(handle, name, now);
              return views.view(handle, stores.runs().find(handle, id).orElseThrow());
            });
  }

  private void makeWay(Handle handle, VersionedTask task, List<RunRow> open, Instant now) {
    if (open.isEmpty()) {
      return;
    }
    RunRow running = open.get(0);
    if (task.overlap() == OverlapRule.REPLACE) {
      open.forEach(
          run -> lives.askStop(handle, run, RunState.STOPPED, "replaced by one run by hand", now));
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
  }

  /** Nothing of it is started any more; a run that lasts goes on. */
  public void pause(String name, TaskPause request, String who) {
    launching.adopt(name);
    stores
        .database()
        .transaction(
            handle -> {
              stores.schedules().lock(handle, name);
              Instant until =
                  request.duration() == null
                      ? null
                      : stores.time().now(handle).plus(request.duration());
              stores.schedules().pause(handle, name, who, request.reason(), until);
              return null;
            });
  }

  /** It is started again; times that passed meanwhile are not caught up. */
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
          lives.askStop(handle, run, RunState.STOPPED, "stopped by " + who, now);
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
          List<RunRow> open = stores.runs().open(handle, run.task());
          if (!open.isEmpty()) {
            throw conflict(
                "run " + open.get(0).id() + " of " + run.task() + " lasts; wait for its end");
          }
          stores.workers().pendFailed(handle, id);
          stores.runs().forgetFailures(handle, id);
          lives.start(handle, run, now);
        });
  }

  private interface Change {
    void make(Handle handle, RunRow run, Instant now);
  }

  private TaskRunView locked(long id, Change change) {
    RunRow seen = find(id);
    return stores
        .database()
        .transaction(
            handle -> {
              stores.schedules().lock(handle, seen.task());
              RunRow run = stores.runs().lock(handle, id).orElseThrow(() -> RunDesk.unknown(id));
              change.make(handle, run, stores.time().now(handle));
              return views.view(handle, stores.runs().find(handle, id).orElseThrow());
            });
  }

  /**
   * Hands the next chunk of a run out to a program (H-020); empty when none is left.
   *
   * @throws MillraceException UNKNOWN_RUN; CONFLICT when the run does not last or has no chunks
   */
  public Optional<ChunkHandout> nextChunk(long id) {
    RunRow seen = find(id);
    TaskDefinition task = definitions.version(seen.task(), seen.version()).definition();
    return stores
        .database()
        .transaction(
            handle -> {
              RunRow run = stores.runs().lock(handle, id).orElseThrow(() -> RunDesk.unknown(id));
              if (run.state() != RunState.RUNNING || !run.listed() || task.chunks() == null) {
                throw conflict(
                    "run "
                        + id
                        + " of "
                        + run.task()
                        + " is "
                        + run.state()
                        + (task.chunks() == null ? " and has no chunks" : "")
                        + "; chunks are handed out while it runs and they are known");
              }
              return workers.handOut(handle, run, task);
            });
  }

  /** Takes numbers of the task's shared counter (H-020). */
  public CounterValue count(String name, int count) {
    launching.adopt(name);
    long last =
        stores.database().transaction(handle -> stores.schedules().count(handle, name, count));
    return new CounterValue(last - count + 1, count);
  }

  private RunRow find(long id) {
    return stores
        .database()
        .read(handle -> stores.runs().find(handle, id))
        .orElseThrow(() -> RunDesk.unknown(id));
  }

  private static MillraceException conflict(String words) {
    return new MillraceException(ErrorCode.CONFLICT, words);
  }
}
