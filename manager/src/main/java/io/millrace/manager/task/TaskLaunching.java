package io.millrace.manager.task;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.task.RunCause;
import io.millrace.api.task.RunState;
import io.millrace.api.task.TaskView.TaskPause;
import io.millrace.manager.definition.DefinitionDao;
import io.millrace.manager.definition.DeletionDao;
import io.millrace.manager.schedule.DueDecision;
import io.millrace.manager.schedule.DueDecision.NextStart;
import io.millrace.manager.schedule.DueDecision.PassedSpan;
import io.millrace.manager.schedule.DueDecision.PassedTime;
import io.millrace.manager.schedule.DueDecision.PlannedLaunch;
import io.millrace.manager.schedule.DueRule;
import io.millrace.manager.schedule.DueRule.ScheduleSnapshot;
import io.millrace.manager.schedule.SchedulePlan;
import io.millrace.manager.task.RunDao.NewRun;
import io.millrace.manager.task.ScheduleDao.ScheduleRow;
import io.millrace.manager.task.TaskDefinitions.TaskKind;
import io.millrace.manager.task.TaskDefinitions.VersionedTask;
import io.millrace.platform.database.Database;
import io.millrace.platform.database.DatabaseTime;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jdbi.v3.core.Handle;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Launches the tasks that are due by the database's clock. Each task is decided in one transaction
 * under the lock of its schedule row, so several instances may do this concurrently: the claim only
 * saves work. Thread-safe.
 */
public final class TaskLaunching {
  private static final Logger LOGGER = LoggerFactory.getLogger(TaskLaunching.class);
  private static final int MAX_AT_ONCE = 1000;

  /**
   * Delay before times that pass in a pause are recorded, so that a task due every second costs
   * little.
   */
  private static final Duration PAUSES_LATER = Duration.ofSeconds(30);

  private final Database database;
  private final DatabaseTime time;
  private final TaskDefinitions definitions;
  private final RunLifecycle lifecycle;
  private final DueRule rule;
  private final TaskPauses pauses;

  public TaskLaunching(
      Database database, TaskDefinitions definitions, RunLifecycle lifecycle, DueRule rule) {
    this.database = database;
    this.time = new DatabaseTime(database.dialect());
    this.definitions = definitions;
    this.lifecycle = lifecycle;
    this.rule = rule;
    this.pauses = new TaskPauses(definitions, rule);
  }

  /**
   * Launches all due tasks and updates changed ones.
   *
   * @return the time until the next task is due; empty for never
   */
  public Optional<Duration> launch() {
    database.read(ScheduleDao::changed).forEach(this::adopt);
    Instant now = database.now();
    database.read(handle -> ScheduleDao.resuming(handle, now)).forEach(this::resume);
    database.read(handle -> ScheduleDao.due(handle, now, MAX_AT_ONCE)).forEach(this::launch);
    database
        .read(handle -> ScheduleDao.passedInPause(handle, now.minus(PAUSES_LATER), MAX_AT_ONCE))
        .stream()
        .filter(row -> !pauses.keeps(row))
        .forEach(row -> launch(row.task()));
    return database.read(ScheduleDao::nextDue).map(due -> Duration.between(database.now(), due));
  }

  /** Updates the schedule row to the definition in force. */
  void adopt(String name) {
    VersionedTask task = definitions.require(name);
    database.transaction(
        handle -> {
          ScheduleDao.ensure(handle, name, 0, task.appliedAt());
          ScheduleRow row = ScheduleDao.lock(handle, name).orElseThrow();
          // Read under the lock: the deletion of a task holds it, and removes the row.
          if (DefinitionDao.inForce(handle, TaskKind.KEYWORD, name).isEmpty()) {
            ScheduleDao.remove(handle, name);
            return null;
          }
          if (row.version() < task.version()) {
            Instant now = time.now(handle);
            if (row.version() > 0 && row.due(now)) {
              row = settleOld(handle, row, task, now);
            }
            NextStart next = next(row, task, now);
            ScheduleDao.plan(handle, row, task.version(), next, row.lastPlanned());
          }
          return null;
        });
  }

  /** Launches what was due under the old version; returns the row after that. */
  private ScheduleRow settleOld(Handle handle, ScheduleRow row, VersionedTask task, Instant now) {
    if (row.paused() && !(pauses.keeps(row) && sameTimes(row, task))) {
      pauses.record(handle, row, now);
    } else {
      settle(handle, row, now);
    }
    return ScheduleDao.lock(handle, row.task()).orElseThrow();
  }

  private NextStart next(ScheduleRow row, VersionedTask task, Instant now) {
    return sameTimes(row, task) ? row.next() : begin(row, task, now);
  }

  private boolean sameTimes(ScheduleRow row, VersionedTask task) {
    return row.version() > 0 && definitions.version(row.task(), row.version()).sameTimes(task);
  }

  private NextStart begin(ScheduleRow row, VersionedTask task, Instant now) {
    return task.plan(row.firstApplied())
        .map(plan -> rule.begin(plan, now, row.lastPlanned()))
        .orElse(NextStart.NEVER);
  }

  /**
   * Locks the row of a task that is not being deleted.
   *
   * @throws MillraceException UNKNOWN_TASK if it was deleted, CONFLICT while it is
   */
  static ScheduleRow lockKept(Handle handle, String name) {
    ScheduleRow row =
        ScheduleDao.lock(handle, name).orElseThrow(() -> TaskDefinitions.unknown(name));
    if (DeletionDao.ending(handle, TaskKind.KEYWORD, name, row.version())) {
      throw new MillraceException(
          ErrorCode.CONFLICT,
          "task %s is being deleted; when that is done, 'millrace definition rollback task %s' creates it again"
              .formatted(name, name));
    }
    return row;
  }

  /** Pauses a task after launching what was due before. */
  void pause(String name, TaskPause request, String actor) {
    database.transaction(
        handle -> {
          ScheduleRow row = lockKept(handle, name);
          Instant now = time.now(handle);
          if (row.due(now)) {
            settle(handle, row, now);
          }
          Instant until = request.duration() == null ? null : now.plus(request.duration());
          ScheduleDao.pause(handle, name, actor, request.reason(), until);
          return null;
        });
  }

  /**
   * Ends a pause, records or catches up the times that passed in it, as the task defines, and
   * starts a queued run.
   */
  void resume(String name) {
    database.transaction(
        handle -> {
          ScheduleRow row = lockKept(handle, name);
          if (row.paused()) {
            Instant now = time.now(handle);
            if (pauses.keeps(row)) {
              decide(handle, row, now, TaskPauses.describe(row) + ", until " + now);
            } else {
              pauses.record(handle, row, now);
            }
            ScheduleDao.resume(handle, name);
            lifecycle.startNext(handle, name, now);
          }
          return null;
        });
  }

  private void launch(String name) {
    try {
      database.transaction(
          handle -> {
            Optional<ScheduleRow> row = ScheduleDao.lock(handle, name);
            Instant now = time.now(handle);
            if (row.isPresent() && row.get().due(now)) {
              settle(handle, row.get(), now);
            }
            return null;
          });
    } catch (RuntimeException e) {
      // A task that cannot be launched does not block others; it stays due and is reported as late.
      LOGGER.warn("task {} could not be launched and stays due", name, e);
    }
  }

  /** Launches what is due, or records that it passed during a pause. */
  private void settle(Handle handle, ScheduleRow row, Instant now) {
    if (!row.paused()) {
      decide(handle, row, now, "nothing could be started until " + now);
    } else if (!pauses.keeps(row)) {
      pauses.record(handle, row, now);
    }
  }

  private void decide(Handle handle, ScheduleRow row, Instant now, String obstacle) {
    VersionedTask task = definitions.version(row.task(), row.version());
    SchedulePlan plan = task.plan(row.firstApplied()).orElseThrow();
    List<RunRow> open = RunDao.open(handle, row.task());
    Optional<RunRow> running =
        open.stream().filter(run -> run.state() == RunState.RUNNING).findFirst();
    int queued = open.size() - (running.isPresent() ? 1 : 0);
    DueDecision decision =
        rule.decide(
            plan,
            new ScheduleSnapshot(
                row.next().plannedAt(), now, running.isPresent(), queued, obstacle));
    record(handle, row, decision, now);
    if (row.pausedBy() == null) {
      RunNotices.missed(handle, task.definition(), decision, now);
    }
    if (decision.stopRunning()) {
      running.ifPresent(
          run -> lifecycle.requestStop(handle, run, RunState.STOPPED, replaced(decision), now));
    }
    decision.launches().forEach(launch -> insert(handle, row, task, launch, now));
    ScheduleDao.plan(handle, row, row.version(), decision.next(), lastPlanned(row, decision));
  }

  private void record(Handle handle, ScheduleRow row, DueDecision decision, Instant now) {
    PassedSpan earlier = decision.earlier();
    if (earlier != null) {
      NewRun missed = NewRun.missed(row.task(), row.version(), earlier, row.pausedBy());
      lifecycle.pass(handle, missed, now);
    }
    decision.passed().forEach(time -> lifecycle.pass(handle, passed(row, time), now));
  }

  private static NewRun passed(ScheduleRow row, PassedTime time) {
    return new NewRun(
        row.task(),
        row.version(),
        RunCause.SCHEDULE,
        time.plannedAt(),
        time.state(),
        time.reason(),
        // Times that passed in a pause were missed by request.
        time.state() == RunState.MISSED ? row.pausedBy() : null);
  }

  private void insert(
      Handle handle, ScheduleRow row, VersionedTask task, PlannedLaunch launch, Instant now) {
    NewRun run =
        new NewRun(
            row.task(),
            row.version(),
            launch.cause(),
            launch.plannedAt(),
            RunState.QUEUED,
            launch.queued() ? waiting(task, now) : null,
            null);
    Optional<Long> id = RunDao.insert(handle, run, now);
    if (id.isEmpty()) {
      LOGGER.warn("task {} was already launched for {}", row.task(), launch.plannedAt());
    } else if (!launch.queued()) {
      lifecycle.start(handle, RunDao.lock(handle, id.get()).orElseThrow(), now);
    }
  }

  private static String waiting(VersionedTask task, Instant now) {
    return task.window().isOpen(now)
        ? "waiting for the previous run to end"
        : "its window had ended before it could be started; waiting until the window opens at "
            + task.window().openFrom(now);
  }

  private static Instant lastPlanned(ScheduleRow row, DueDecision decision) {
    return Stream.of(
            Stream.ofNullable(row.lastPlanned()),
            decision.launches().stream().map(PlannedLaunch::plannedAt),
            decision.passed().stream().map(time -> time.plannedAt()),
            Stream.ofNullable(decision.earlier()).map(PassedSpan::last))
        .flatMap(times -> times)
        .max(Instant::compareTo)
        .orElse(null);
  }

  /** Names the run that replaces it, for the history. */
  private static String replaced(DueDecision decision) {
    List<PlannedLaunch> launches = decision.launches();
    return "replaced by the run planned for " + launches.get(launches.size() - 1).plannedAt();
  }
}
