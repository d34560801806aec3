package io.millrace.manager.task;

import io.millrace.api.ErrorCode;
import io.millrace.api.MessageText;
import io.millrace.api.MillraceException;
import io.millrace.api.job.JobKind;
import io.millrace.api.job.JobSpec;
import io.millrace.api.task.RunCause;
import io.millrace.api.task.RunConduct;
import io.millrace.api.task.RunState;
import io.millrace.api.task.RunStep;
import io.millrace.api.task.RunStep.Kind;
import io.millrace.api.task.RunStep.StepState;
import io.millrace.api.task.TaskDefinition;
import io.millrace.manager.job.JobLedger;
import io.millrace.manager.partition.PartitionedRun;
import io.millrace.manager.partition.PoolMembers;
import io.millrace.manager.partition.Ring;
import io.millrace.manager.task.ScheduleDao.ScheduleRow;
import io.millrace.manager.task.TaskDefinitions.VersionedTask;
import io.millrace.manager.task.TaskWorkerDao.NewWorker;
import io.millrace.manager.task.TaskWorkerDao.Step;
import io.millrace.manager.task.TaskWorkerDao.WorkerRole;
import io.millrace.manager.task.TaskWorkerDao.WorkerRow;
import io.millrace.manager.task.TaskWorkerDao.WorkerState;
import io.millrace.platform.database.Database;
import io.millrace.platform.database.DatabaseTime;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jdbi.v3.core.Handle;

/**
 * Serves task managers: views of runs, and the steps that they request. A step is carried out in
 * one transaction that holds the locks of the run and of the manager's job, so that a manager that
 * was replaced does nothing. Thread-safe; blocks on the database, and for READ_CHUNKS on an
 * execution node.
 */
public final class RunService {
  private static final Ring EMPTY_RING = Ring.of(List.of());

  /** How often the command that lists the work is run when its output cannot be read. */
  private static final int MAX_LISTINGS = 3;

  /** Errors of servers that restart or are overloaded; the step is repeated. */
  private static final Set<ErrorCode> PASSING =
      EnumSet.of(ErrorCode.UNAVAILABLE, ErrorCode.TIMEOUT, ErrorCode.STORE_FAILURE);

  /** How long a node may be unreachable before its list is given up; covers a restart of it. */
  private static final Duration UNREACHABLE_FOR = Duration.ofSeconds(30);

  private final Database database;
  private final DatabaseTime time;
  private final TaskDefinitions definitions;
  private final JobLedger ledger;
  private final RunLifecycle lifecycle;
  private final ChunkOutput output;
  private final PoolMembers members;

  public RunService(
      Database database,
      TaskDefinitions definitions,
      JobLedger ledger,
      RunLifecycle lifecycle,
      ChunkOutput output,
      PoolMembers members) {
    this.database = database;
    this.time = new DatabaseTime(database.dialect());
    this.definitions = definitions;
    this.ledger = ledger;
    this.lifecycle = lifecycle;
    this.members = members;
    this.output = output;
  }

  /**
   * The view from which the next step is decided.
   *
   * @throws MillraceException UNKNOWN_RUN
   */
  public RunConduct view(long id) {
    return database.read(handle -> view(handle, require(handle, id)));
  }

  /** The job of the run's manager, whose wake-ups signal changes of its workers; 0 for none. */
  public long managerOf(long id) {
    Long manager = database.read(handle -> require(handle, id)).managerJob();
    return manager == null ? 0 : manager;
  }

  private RunConduct view(Handle handle, RunRow kept) {
    List<WorkerRow> ended = TaskWorkerDao.ended(handle, kept.id());
    VersionedTask task = definitions.version(kept.task(), kept.version());
    SettleRule settled = SettleRule.of(kept, ended, task.definition().partition() != null);
    RunRow run = settled.counts().addedTo(kept);
    long endedWork = ended.stream().filter(one -> one.role() == WorkerRole.WORK).count();
    int live =
        TaskWorkerDao.count(handle, run.id(), WorkerRole.WORK, WorkerState.LIVE)
            + TaskWorkerDao.count(handle, run.id(), WorkerRole.WORK, WorkerState.LENT);
    Instant now = time.now(handle);
    double measured = run.chunkSeconds();
    if (measured == 0) {
      measured = ScheduleDao.find(handle, run.task()).map(ScheduleRow::chunkSeconds).orElse(0.0);
    }
    return new RunConduct(
        run.view((int) (live - endedWork)),
        task.definition(),
        TaskWorkerDao.count(handle, run.id(), WorkerRole.WORK, WorkerState.PENDING),
        run.nextChunk(),
        run.listed(),
        state(handle, run, WorkerRole.LIST, ended),
        state(handle, run, WorkerRole.VERIFY, ended),
        run.idle(),
        run.failedInRow(),
        ended.size() + ChunkDao.expired(handle, run.id(), now),
        measured,
        task.definition().endsBy(run.startedAt()),
        run.stopAs() != null,
        now);
  }

  private StepState state(Handle handle, RunRow run, WorkerRole role, List<WorkerRow> ended) {
    Optional<WorkerRow> over = ended.stream().filter(one -> one.role() == role).findFirst();
    if (over.isPresent()) {
      return over.get().succeeded() ? StepState.DONE : StepState.FAILED;
    }
    return TaskWorkerDao.step(handle, run.id(), role)
        .map(
            step ->
                switch (WorkerState.valueOf(step.state())) {
                  case PENDING -> StepState.NONE;
                  case LIVE, LENT -> StepState.RUNNING;
                  case FAILED -> StepState.FAILED;
                  case DONE -> StepState.DONE;
                })
        .orElse(StepState.NONE);
  }

  /**
   * Carries out a step.
   *
   * @throws MillraceException STALE_ATTEMPT when the attempt does not manage the run, or when the
   *     run has ended; nothing was done
   */
  public void step(long id, RunStep step) {
    RunRow seen = database.read(handle -> require(handle, id));
    TaskDefinition task = definition(seen);
    Ring ring = task.partition() == null ? EMPTY_RING : members.ring(task.job().pool());
    PrintedList chunks =
        step.kind() == Kind.READ_CHUNKS ? read(seen, task, ring) : PrintedList.NONE;
    database.transaction(
        handle -> {
          // Locked first by everything that ends a run.
          Optional<ScheduleRow> schedule = ScheduleDao.lock(handle, seen.task());
          RunRow run = RunDao.lock(handle, id).orElseThrow(() -> unknown(id));
          // Refuses what comes after a deletion, which ends the runs before it removes the
          // schedule.
          checkConducts(handle, run, step);
          RunRow settled = lifecycle.settle(handle, run);
          if (settled.stopAs() == null) {
            carryOut(handle, schedule.orElseThrow(), settled, task, step, chunks, ring);
          }
          return null;
        });
  }

  /** The definition with the parameters of the run. */
  private TaskDefinition definition(RunRow run) {
    TaskDefinition task = definitions.version(run.task(), run.version()).definition();
    if (run.cause() != RunCause.MANUAL) {
      return task;
    }
    return database
        .read(handle -> RunParameterDao.find(handle, run.id()))
        .map(parameters -> ParameterRules.applied(task, parameters))
        .orElse(task);
  }

  private void carryOut(
      Handle handle,
      ScheduleRow schedule,
      RunRow run,
      TaskDefinition task,
      RunStep step,
      PrintedList chunks,
      Ring ring) {
    switch (step.kind()) {
      case NOTE -> {}
      case LIST -> once(handle, run, task, WorkerRole.LIST, "list", lister(task));
      case READ_CHUNKS -> {
        Step now = TaskWorkerDao.step(handle, run.id(), WorkerRole.LIST).orElseThrow();
        // Read before the run was locked: by a slow call, another may have gone further meanwhile.
        boolean current =
            !run.listed()
                && now.id() == chunks.step()
                && now.state().equals(WorkerState.DONE.name());
        if (current && chunks.failure() == null) {
          ChunkDao.replace(handle, run.id(), chunks.lines());
          RunDao.list(handle, run.id(), chunks.lines().size());
        } else if (current) {
          unreadable(handle, schedule, run, task, now, chunks.failure());
        }
      }
      case WORK -> lifecycle.startWorkers(handle, run, task, step.workers(), ring);
      case VERIFY -> once(handle, run, task, WorkerRole.VERIFY, "verify", task.verify());
      case END -> {
        if (TaskWorkerDao.live(handle, run.id()).isEmpty()
            && ChunkDao.leased(handle, run.id()).isEmpty()) {
          lifecycle.end(handle, schedule, run, step.end(), step.reason(), time.now(handle));
        }
      }
    }
  }

  /** The command that prints the chunks, or the resources of a partitioned task. */
  private static List<String> lister(TaskDefinition task) {
    return task.partition() == null ? task.chunks().command() : task.partition().discover();
  }

  private void once(
      Handle handle,
      RunRow run,
      TaskDefinition task,
      WorkerRole role,
      String what,
      List<String> command) {
    if (command == null || TaskWorkerDao.step(handle, run.id(), role).isPresent()) {
      return;
    }
    JobSpec step = TaskSpecs.step(task, run.id(), run.plannedAt(), what, command);
    start(handle, run, task, role, step);
  }

  private void start(
      Handle handle, RunRow run, TaskDefinition task, WorkerRole role, JobSpec step) {
    JobSpec spec = TaskSpecs.submitted(task, step.draft()).spec();
    long job =
        ledger.submit(handle, JobKind.SUBMITTED, TaskSpecs.owner(run.task()), List.of(spec)).get(0);
    TaskWorkerDao.insert(handle, run.id(), List.of(new NewWorker(role, 0, null, job)));
  }

  private PrintedList read(RunRow run, TaskDefinition task, Ring ring) {
    Step step =
        database
            .<Optional<Step>, RuntimeException>read(
                handle -> TaskWorkerDao.step(handle, run.id(), WorkerRole.LIST))
            .orElseThrow();
    List<String> lines;
    try {
      lines = output.lines(step.job());
    } catch (MillraceException e) {
      boolean silent =
          e.code() == ErrorCode.UNREACHABLE
              && step.endedAt() != null
              && step.endedAt().plus(UNREACHABLE_FOR).isAfter(database.now());
      if (silent || PASSING.contains(e.code())) {
        throw e;
      }
      return new PrintedList(step.id(), List.of(), e);
    }
    return new PrintedList(
        step.id(),
        task.partition() == null
            ? lines
            : PartitionedRun.batches(lines, ring, task.partition().batch()),
        null);
  }

  /**
   * Runs the command that lists the work again, preferably on another node, or ends the run: when
   * the output itself is wrong, or cannot be read however often the command is run.
   */
  private void unreadable(
      Handle handle,
      ScheduleRow schedule,
      RunRow run,
      TaskDefinition task,
      Step step,
      MillraceException failure) {
    // Also when the run ends: 'task run --failed' then lists again instead of reading this output.
    TaskWorkerDao.mark(handle, List.of(step.id()), WorkerState.FAILED);
    int listings = TaskWorkerDao.count(handle, run.id(), WorkerRole.LIST, WorkerState.FAILED);
    if (failure.code() == ErrorCode.INVALID_DEFINITION || listings >= MAX_LISTINGS) {
      String reason =
          "the list of the work could not be read%s: %s"
              .formatted(
                  listings > 1 ? " (the command was run " + listings + " times)" : "",
                  failure.getMessage());
      lifecycle.end(handle, schedule, run, RunState.FAILED, reason, time.now(handle));
      return;
    }
    JobSpec again =
        TaskSpecs.stepElsewhere(
            TaskSpecs.step(task, run.id(), run.plannedAt(), "list", lister(task)), step.node());
    start(handle, run, task, WorkerRole.LIST, again);
  }

  private void checkConducts(Handle handle, RunRow run, RunStep step) {
    boolean conducts =
        run.state() == RunState.RUNNING
            && run.managerJob() != null
            && run.managerJob() == step.attempt().job()
            && ledger.lockCurrent(handle, step.attempt());
    if (!conducts) {
      throw new MillraceException(
          ErrorCode.STALE_ATTEMPT,
          "attempt %s does not manage run %d of %s, which is %s; nothing was done, stop it"
              .formatted(step.attempt(), run.id(), run.task(), MessageText.of(run.state())));
    }
  }

  private RunRow require(Handle handle, long id) {
    return RunDao.find(handle, id).orElseThrow(() -> unknown(id));
  }

  static MillraceException unknown(long id) {
    return new MillraceException(
        ErrorCode.UNKNOWN_RUN,
        "no run %d of any task; 'millrace task history TASK' shows the runs that are kept"
            .formatted(id));
  }

  /**
   * What the command that lists the work has printed.
   *
   * @param step the row of the command that printed it
   * @param lines chunks or batches of resources
   * @param failure why they could not be read; null if they were
   */
  private record PrintedList(long step, List<String> lines, MillraceException failure) {
    static final PrintedList NONE = new PrintedList(0, List.of(), null);
  }

  /** The output of jobs that print chunks or resources. */
  @FunctionalInterface
  public interface ChunkOutput {
    /**
     * The lines that a job printed, without empty ones; blocks.
     *
     * @throws io.millrace.api.MillraceException UNREACHABLE when its node does not answer,
     *     UNKNOWN_ATTEMPT when the output was deleted, INVALID_DEFINITION when it is not a list of
     *     chunks or was not kept whole
     */
    List<String> lines(long job);
  }
}
