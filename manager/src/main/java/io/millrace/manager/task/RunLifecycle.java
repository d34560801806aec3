package io.millrace.manager.task;

import io.millrace.api.job.JobAction.Verb;
import io.millrace.api.job.JobKind;
import io.millrace.api.task.RunCause;
import io.millrace.api.task.RunState;
import io.millrace.api.task.TaskDefinition;
import io.millrace.manager.job.JobActions.ActionRequest;
import io.millrace.manager.job.JobLedger;
import io.millrace.manager.schedule.DueDecision.NextStart;
import io.millrace.manager.schedule.DueRule;
import io.millrace.manager.task.ScheduleDao.ScheduleRow;
import io.millrace.manager.task.TaskDefinitions.VersionedTask;
import io.millrace.manager.task.TaskWorkerDao.WorkerRow;
import io.millrace.manager.task.TaskWorkerDao.WorkerState;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jdbi.v3.core.Handle;

/**
 * Begins, stops and ends runs in the caller's transaction, which holds the lock of the task's
 * schedule row. Thread-safe.
 */
public final class RunLifecycle {
  /** How the reason of a run begins whose rest the next run of the task does. */
  static final String WINDOW_ENDED = "its window ended";

  private static final int CHUNK = 1000;

  private final TaskStores stores;
  private final TaskDefinitions definitions;
  private final JobLedger ledger;
  private final DueRule rule;
  private final ChunkLending lending;

  public RunLifecycle(
      TaskStores stores, TaskDefinitions definitions, JobLedger ledger, DueRule rule) {
    this.stores = stores;
    this.definitions = definitions;
    this.ledger = ledger;
    this.rule = rule;
    this.lending = new ChunkLending(stores);
  }

  /** Lets a waiting run begin, or an ended one go on, with a task manager of its own. */
  void start(Handle handle, RunRow run, Instant now) {
    TaskDefinition task = definitions.version(run.task(), run.version()).definition();
    if (run.startedAt() == null) {
      prepare(handle, task, run);
    }
    String tag = run.startedAt() == null ? "" : "." + now.toEpochMilli();
    long manager =
        ledger
            .submit(
                handle,
                JobKind.MANAGER,
                TaskSpecs.owner(run.task()),
                List.of(TaskSpecs.manager(task, run.id(), tag)))
            .get(0);
    if (!stores.runs().start(handle, run, manager, now)) {
      throw new IllegalStateException("run " + run.id() + " was changed under its task's lock");
    }
  }

  private void prepare(Handle handle, TaskDefinition task, RunRow run) {
    Optional<RunRow> before = stores.runs().lastEnded(handle, run.task()).filter(this::leftOver);
    if (before.isPresent() && before.get().version() == run.version()) {
      stores.runs().inherit(handle, run.id(), before.get());
      stores.workers().hand(handle, before.get().id(), run.id());
    } else if (task.chunks() != null && task.chunks().command() == null) {
      stores.runs().list(handle, run.id(), ChunkSource.total(task.chunks()));
    } else if (task.chunks() == null && task.partition() == null) {
      stores.runs().list(handle, run.id(), task.untilDone() ? 0 : task.instances());
    }
  }

  private boolean leftOver(RunRow ended) {
    return ended.state() == RunState.STOPPED
        && ended.listed()
        && ended.reason() != null
        && ended.reason().startsWith(WINDOW_ENDED);
  }

  /** Starts the run that waits the longest and whose window is open, if nothing runs. */
  void startNext(Handle handle, String task, Instant now) {
    List<RunRow> open = stores.runs().open(handle, task);
    if (open.stream().noneMatch(run -> run.state() == RunState.RUNNING)) {
      open.stream()
          .filter(run -> mayStart(run, now))
          .findFirst()
          .ifPresent(run -> start(handle, run, now));
    }
  }

  /** Whether its window is open; who starts a run by hand knows what the window says. */
  boolean mayStart(RunRow run, Instant now) {
    return run.cause() == RunCause.MANUAL
        || definitions.version(run.task(), run.version()).window().isOpen(now);
  }

  /**
   * Asks a run to end: one that waits does so at once, one that runs when its workers have been
   * stopped.
   */
  void requestStop(Handle handle, RunRow run, RunState as, String reason, Instant now) {
    if (run.state() == RunState.QUEUED) {
      stores.runs().end(handle, run.id(), as, reason, now);
      return;
    }
    stores.runs().requestStop(handle, run.id(), as, reason);
    List<Long> jobs = stores.workers().live(handle, run.id());
    for (int from = 0; from < jobs.size(); from += CHUNK) {
      cancel(handle, jobs.subList(from, Math.min(from + CHUNK, jobs.size())), reason);
    }
  }

  /** Counts the workers that ended, and takes back what was lent too long; the run then. */
  RunRow settle(Handle handle, RunRow locked) {
    TaskDefinition task = definitions.version(locked.task(), locked.version()).definition();
    RunRow run = lending.takeBack(handle, locked, task);
    List<WorkerRow> ended = stores.workers().ended(handle, run.id());
    if (ended.isEmpty()) {
      return run;
    }
    boolean partitioned = task.partition() != null;
    SettleRule settled = SettleRule.of(run, ended, partitioned);
    stores.workers().delete(handle, settled.deleted());
    stores.chunks().append(handle, run.id(), run.total(), settled.apart());
    stores.workers().mark(handle, settled.failed(), WorkerState.FAILED);
    stores.workers().mark(handle, settled.done(), WorkerState.DONE);
    stores.workers().pend(handle, settled.pending());
    stores.runs().count(handle, run.id(), settled.counts());
    return settled.counts().to(run);
  }

  /** Ends a run that has no worker any more: its manager goes, its successor begins. */
  void end(
      Handle handle, ScheduleRow schedule, RunRow run, RunState state, String reason, Instant now) {
    if (!stores.runs().end(handle, run.id(), state, reason, now)) {
      return;
    }
    if (run.managerJob() != null) {
      cancel(handle, List.of(run.managerJob()), "its run ended: " + state);
    }
    if (run.chunkSeconds() > 0) {
      stores.schedules().measured(handle, run.task(), run.chunkSeconds());
    }
    pauseBetween(handle, schedule, run, state, now);
    if (!schedule.paused()) {
      startNext(handle, run.task(), now);
    }
  }

  private void pauseBetween(
      Handle handle, ScheduleRow schedule, RunRow run, RunState state, Instant now) {
    VersionedTask task = definitions.version(schedule.task(), schedule.version());
    boolean worked = state == RunState.SUCCEEDED && run.foundWork();
    task.plan(schedule.firstApplied())
        .ifPresent(
            plan -> {
              NextStart next = rule.afterRun(plan, schedule.next(), now, worked);
              if (!next.equals(schedule.next())) {
                stores
                    .schedules()
                    .plan(handle, schedule, schedule.version(), next, schedule.lastPlanned());
              }
            });
  }

  private void cancel(Handle handle, List<Long> jobs, String reason) {
    ledger.actions().apply(handle, jobs, new ActionRequest(Verb.CANCEL, null, null, reason));
  }
}
