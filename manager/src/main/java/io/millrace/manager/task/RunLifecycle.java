package io.millrace.manager.task;

import io.millrace.api.job.JobAction.Verb;
import io.millrace.api.job.JobKind;
import io.millrace.api.job.JobSpec;
import io.millrace.api.task.RunCause;
import io.millrace.api.task.RunState;
import io.millrace.api.task.TaskDefinition;
import io.millrace.manager.job.JobActions.ActionRequest;
import io.millrace.manager.job.JobLedger;
import io.millrace.manager.job.JobRunDao;
import io.millrace.manager.partition.PartitionedRun;
import io.millrace.manager.partition.Ring;
import io.millrace.manager.schedule.DueDecision.NextStart;
import io.millrace.manager.schedule.DueRule;
import io.millrace.manager.task.RunDao.NewRun;
import io.millrace.manager.task.ScheduleDao.ScheduleRow;
import io.millrace.manager.task.TaskDefinitions.VersionedTask;
import io.millrace.manager.task.TaskWorkerDao.NewWorker;
import io.millrace.manager.task.TaskWorkerDao.WorkerRole;
import io.millrace.manager.task.TaskWorkerDao.WorkerRow;
import io.millrace.manager.task.TaskWorkerDao.WorkerState;
import io.millrace.platform.database.Database;
import io.millrace.platform.database.DatabaseTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jdbi.v3.core.Handle;

/**
 * Starts, stops, settles and ends runs and starts their workers, in the caller's transaction, which
 * holds the lock of the task's schedule row. Thread-safe.
 */
public final class RunLifecycle {
  /** Prefix of the reason of a run whose remaining chunks the next run of the task takes over. */
  static final String WINDOW_ENDED = "its window ended";

  private static final int CHUNK = 1000;

  private final TaskDefinitions definitions;
  private final JobLedger ledger;
  private final DueRule rule;
  private final RunChunks chunks;
  private final RunObserver watch;
  private final RunWorkflows workflows;

  public RunLifecycle(
      Database database,
      TaskDefinitions definitions,
      JobLedger ledger,
      DueRule rule,
      RunObserver watch,
      RunWorkflows workflows) {
    this.workflows = workflows;
    this.watch = watch;
    this.definitions = definitions;
    this.ledger = ledger;
    this.rule = rule;
    this.chunks = new RunChunks(new DatabaseTime(database.dialect()));
  }

  /**
   * Starts a queued run, or continues an ended one, with a task manager of its own; a workflow is
   * submitted by {@link WorkflowRuns}.
   */
  void start(Handle handle, RunRow run, Instant now) {
    TaskDefinition task = definitions.version(run.task(), run.version()).definition();
    if (task.workflow() != null) {
      workflows.again(handle, run);
    } else if (run.startedAt() == null) {
      prepare(handle, task, run);
    }
    Long manager = task.workflow() == null ? manage(handle, task, run, now) : null;
    if (!RunDao.start(handle, run, manager, now)) {
      throw new IllegalStateException("run " + run.id() + " was changed while its task was locked");
    }
    watch.started(handle, run, now);
  }

  private Long manage(Handle handle, TaskDefinition task, RunRow run, Instant now) {
    String tag = run.startedAt() == null ? "" : "." + now.toEpochMilli();
    long manager =
        ledger
            .submit(
                handle,
                JobKind.MANAGER,
                TaskSpecs.owner(run.task()),
                List.of(TaskSpecs.manager(task, run.id(), tag)))
            .get(0);
    JobRunDao.insert(handle, run.id(), List.of(manager));
    return manager;
  }

  private void prepare(Handle handle, TaskDefinition task, RunRow run) {
    Optional<RunRow> previous = RunDao.lastEnded(handle, run.task()).filter(this::leftOver);
    if (previous.isPresent() && previous.get().version() == run.version()) {
      RunDao.inherit(handle, run.id(), previous.get());
      TaskWorkerDao.hand(handle, previous.get().id(), run.id());
    } else if (task.chunks() != null && task.chunks().command() == null) {
      RunDao.list(handle, run.id(), task.chunks().total());
    } else if (task.chunks() == null && task.partition() == null) {
      RunDao.list(handle, run.id(), task.untilDone() ? 0 : task.instances());
    }
  }

  private boolean leftOver(RunRow ended) {
    return ended.state() == RunState.STOPPED
        && ended.listed()
        && ended.reason() != null
        && ended.reason().startsWith(WINDOW_ENDED);
  }

  /** Starts the longest-queued run whose window is open, unless a run is in progress. */
  void startNext(Handle handle, String task, Instant now) {
    List<RunRow> open = RunDao.open(handle, task);
    if (open.stream().noneMatch(run -> run.state() == RunState.RUNNING)) {
      open.stream()
          .filter(run -> mayStart(run, now))
          .findFirst()
          .ifPresent(run -> start(handle, run, now));
    }
  }

  /** Whether its window is open; a manual run is not bound to the window. */
  boolean mayStart(RunRow run, Instant now) {
    return run.cause() == RunCause.MANUAL
        || definitions.version(run.task(), run.version()).window().isOpen(now);
  }

  /**
   * Requests that a run end: a queued one ends at once, a running one when its workers have been
   * stopped.
   */
  void requestStop(Handle handle, RunRow run, RunState as, String reason, Instant now) {
    if (run.state() == RunState.QUEUED) {
      endUnstarted(handle, run, as, reason, now);
      return;
    }
    RunDao.requestStop(handle, run.id(), as, reason);
    List<Long> jobs = TaskWorkerDao.live(handle, run.id());
    for (int from = 0; from < jobs.size(); from += CHUNK) {
      cancel(handle, jobs.subList(from, Math.min(from + CHUNK, jobs.size())), reason);
    }
    workflows.cancel(handle, run, reason);
  }

  /** Whether nothing that it started runs any more. */
  boolean isQuiet(Handle handle, RunRow run) {
    return TaskWorkerDao.live(handle, run.id()).isEmpty() && workflows.ended(handle, run);
  }

  /** Ends a run that waits. */
  void endUnstarted(Handle handle, RunRow run, RunState state, String reason, Instant now) {
    if (RunDao.end(handle, run.id(), state, reason, now)) {
      tell(handle, run, state, reason, now);
    }
  }

  /** Records planned times that passed without a run. */
  void pass(Handle handle, NewRun run, Instant now) {
    boolean recorded = RunDao.insert(handle, run, now).isPresent();
    if (recorded && run.saidBy() == null) {
      watch.passed(handle, run.task(), run.state(), run.times());
    }
  }

  /** Counts the workers that ended and reclaims expired leases; the run after that. */
  RunRow settle(Handle handle, RunRow locked) {
    TaskDefinition task = definitions.version(locked.task(), locked.version()).definition();
    if (task.workflow() != null) {
      return locked;
    }
    RunRow run = chunks.reclaim(handle, locked, task);
    List<WorkerRow> ended = TaskWorkerDao.ended(handle, run.id());
    if (ended.isEmpty()) {
      return run;
    }
    boolean partitioned = task.partition() != null;
    SettleRule settled = SettleRule.of(run, ended, partitioned);
    TaskWorkerDao.delete(handle, settled.deleted());
    ChunkDao.append(handle, run.id(), run.total(), settled.resources());
    TaskWorkerDao.mark(handle, settled.failed(), WorkerState.FAILED);
    TaskWorkerDao.mark(handle, settled.done(), WorkerState.DONE);
    TaskWorkerDao.pend(handle, settled.pending());
    RunDao.count(handle, run.id(), settled.counts());
    return settled.counts().addedTo(run);
  }

  /** Ends a run that has no workers left: cancels its manager and starts the next run. */
  void end(
      Handle handle, ScheduleRow schedule, RunRow run, RunState state, String reason, Instant now) {
    if (!RunDao.end(handle, run.id(), state, reason, now)) {
      return;
    }
    workflows.record(handle, run);
    tell(handle, run, state, reason, now);
    if (run.managerJob() != null) {
      cancel(handle, List.of(run.managerJob()), "its run ended: " + state);
    }
    if (run.chunkSeconds() > 0) {
      ScheduleDao.measured(handle, run.task(), run.chunkSeconds());
    }
    pauseBetween(handle, schedule, run, state, now);
    if (!schedule.paused()) {
      startNext(handle, run.task(), now);
    }
  }

  private void tell(Handle handle, RunRow run, RunState state, String reason, Instant now) {
    TaskDefinition task = definitions.version(run.task(), run.version()).definition();
    RunNotices.ended(handle, task, run, state, reason, now);
    watch.ended(handle, run, state, now);
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
                ScheduleDao.plan(
                    handle, schedule, schedule.version(), next, schedule.lastPlanned());
              }
            });
  }

  private void cancel(Handle handle, List<Long> jobs, String reason) {
    ledger.actions().apply(handle, jobs, new ActionRequest(Verb.CANCEL, null, null, reason));
  }

  /** A chunk for a worker; its text is null for work without chunks. */
  private record Piece(long position, String chunk) {}

  /**
   * Starts up to this number of workers, as far as there is work for them and the definition
   * allows.
   *
   * @param ring the members of a partitioned task
   */
  void startWorkers(Handle handle, RunRow run, TaskDefinition task, int wanted, Ring ring) {
    int live = TaskWorkerDao.count(handle, run.id(), WorkerRole.WORK, WorkerState.LIVE);
    int count = Math.min(wanted, task.instances() - live);
    if (count <= 0) {
      return;
    }
    List<Piece> pieces = new ArrayList<>(pending(handle, run, count));
    pieces.addAll(fresh(handle, run, task, count - pieces.size()));
    List<JobSpec> specs =
        pieces.stream().map(piece -> worker(run, task, piece.chunk(), ring)).toList();
    if (specs.isEmpty()) {
      return;
    }
    List<Long> jobs = ledger.submit(handle, JobKind.SUBMITTED, TaskSpecs.owner(run.task()), specs);
    List<NewWorker> rows = new ArrayList<>();
    for (int i = 0; i < jobs.size(); i++) {
      Piece piece = pieces.get(i);
      rows.add(new NewWorker(WorkerRole.WORK, piece.position(), piece.chunk(), jobs.get(i)));
    }
    TaskWorkerDao.insert(handle, run.id(), rows);
  }

  private static JobSpec worker(RunRow run, TaskDefinition task, String chunk, Ring ring) {
    JobSpec plain = TaskSpecs.worker(task, run.id(), run.plannedAt(), chunk);
    if (task.partition() == null) {
      return plain;
    }
    Instant ends = PartitionedRun.ends(run.plannedAt(), run.startedAt(), task.schedule().every());
    return PartitionedRun.worker(plain, chunk, ring, ends);
  }

  private static List<Piece> pending(Handle handle, RunRow run, int count) {
    List<WorkerRow> pending = TaskWorkerDao.pending(handle, run.id(), count);
    TaskWorkerDao.delete(handle, pending.stream().map(WorkerRow::id).toList());
    return pending.stream().map(row -> new Piece(row.position(), row.chunk())).toList();
  }

  private static List<Piece> fresh(Handle handle, RunRow run, TaskDefinition task, int count) {
    if (count <= 0) {
      return List.of();
    }
    long from = run.nextChunk();
    List<Piece> pieces = new ArrayList<>();
    if (task.untilDone()) {
      for (int i = 0; i < count; i++) {
        pieces.add(new Piece(from + i, null));
      }
      RunDao.advance(handle, run.id(), from + count, from + count);
      return pieces;
    }
    for (String chunk : RunChunks.next(handle, run, task, count)) {
      pieces.add(new Piece(from + pieces.size(), chunk));
    }
    RunDao.advance(handle, run.id(), from + pieces.size(), run.total());
    return pieces;
  }
}
