package io.millrace.manager.task;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.task.RunCause;
import io.millrace.api.task.RunParameters;
import io.millrace.api.task.RunState;
import io.millrace.api.task.ScheduleDefinition;
import io.millrace.api.task.SchedulePreview;
import io.millrace.api.task.TaskRunView;
import io.millrace.api.task.TaskRunView.TaskRunDetails;
import io.millrace.api.task.TaskRunView.TaskRunDetails.FailedChunk;
import io.millrace.api.task.TaskView;
import io.millrace.manager.schedule.PlannedTimes;
import io.millrace.manager.schedule.SchedulePlan;
import io.millrace.manager.task.ScheduleDao.ScheduleRow;
import io.millrace.manager.task.TaskDefinitions.VersionedTask;
import io.millrace.manager.task.TaskWorkerDao.WorkerRole;
import io.millrace.manager.task.TaskWorkerDao.WorkerState;
import io.millrace.platform.database.Database;
import io.millrace.platform.database.DatabaseTime;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jdbi.v3.core.Handle;

/** Tasks and their runs as shown to people. Thread-safe; blocks on the database. */
public final class TaskViews {
  private static final int MAX_FAILED_SHOWN = 1000;
  private static final int USUAL_TIMES = 5;

  private final Database database;
  private final DatabaseTime time;
  private final TaskDefinitions definitions;

  public TaskViews(Database database, TaskDefinitions definitions) {
    this.database = database;
    this.time = new DatabaseTime(database.dialect());
    this.definitions = definitions;
  }

  /** Every task, by name. */
  public List<TaskView> all() {
    return definitions.all().stream().map(this::view).toList();
  }

  /**
   * One task.
   *
   * @throws MillraceException UNKNOWN_TASK
   */
  public TaskView view(String task) {
    return view(definitions.require(task));
  }

  private TaskView view(VersionedTask task) {
    return database.read(
        handle -> {
          Optional<ScheduleRow> row = ScheduleDao.find(handle, task.name());
          List<RunRow> open = RunDao.open(handle, task.name());
          return new TaskView(
              task.definition(),
              task.version(),
              preview(task, row, USUAL_TIMES, time.now(handle)),
              row.map(ScheduleRow::paused).orElse(false),
              row.map(ScheduleRow::pausedBy).orElse(null),
              row.map(ScheduleRow::pauseReason).orElse(null),
              row.map(ScheduleRow::pausedUntil).orElse(null),
              open.isEmpty() ? null : view(handle, open.get(0)),
              RunDao.lastEnded(handle, task.name()).map(run -> view(handle, run)).orElse(null));
        });
  }

  /**
   * The next planned times, without jitter.
   *
   * @throws MillraceException UNKNOWN_TASK; CONFLICT for a task without a schedule
   */
  public SchedulePreview next(String name, int count) {
    VersionedTask task = definitions.require(name);
    if (task.definition().schedule() == null) {
      throw new MillraceException(
          ErrorCode.CONFLICT,
          "task %s has no schedule; run it with 'millrace task run %s'".formatted(name, name));
    }
    Optional<ScheduleRow> row = database.read(handle -> ScheduleDao.find(handle, name));
    return preview(task, row, count, database.now());
  }

  private static SchedulePreview preview(
      VersionedTask task, Optional<ScheduleRow> row, int count, Instant now) {
    Instant first = row.map(ScheduleRow::firstApplied).orElse(task.appliedAt());
    return task.plan(first).map(plan -> preview(plan, count, now)).orElse(null);
  }

  private static SchedulePreview preview(SchedulePlan plan, int count, Instant now) {
    SchedulePreview usual = plan.preview(now);
    if (count == USUAL_TIMES || usual.next().isEmpty()) {
      return usual;
    }
    List<Instant> times =
        Stream.iterate(plan.next(now), Optional::isPresent, time -> plan.next(time.orElseThrow()))
            .limit(count)
            .map(Optional::orElseThrow)
            .toList();
    return new SchedulePreview(usual.description(), times);
  }

  /** A schedule's description with its next times, as if it were applied now. */
  public SchedulePreview preview(ScheduleDefinition schedule) {
    Instant now = database.now();
    return PlannedTimes.of(schedule, now).preview(now);
  }

  /**
   * Runs of a task, newest first.
   *
   * @param before id of the last run of the previous page; null for the newest
   */
  public List<TaskRunView> runs(String task, Long before, int limit) {
    List<TaskRunView> page =
        database.read(
            handle ->
                RunDao.page(handle, task, before, limit).stream()
                    .map(run -> view(handle, run))
                    .toList());
    // The history of a deleted task stays.
    if (page.isEmpty() && before == null) {
      definitions.require(task);
    }
    return page;
  }

  /**
   * The details of a run.
   *
   * @throws MillraceException UNKNOWN_RUN
   */
  public TaskRunDetails details(long id) {
    return database.read(
        handle -> {
          RunRow run = RunDao.find(handle, id).orElseThrow(() -> RunService.unknown(id));
          List<FailedChunk> failed = TaskWorkerDao.failed(handle, id, MAX_FAILED_SHOWN);
          return new TaskRunDetails(view(handle, run), failed);
        });
  }

  /** A run as shown in lists. */
  TaskRunView view(Handle handle, RunRow run) {
    // Only somebody who starts a run can give it parameters.
    RunParameters parameters =
        run.cause() == RunCause.MANUAL
            ? RunParameterDao.find(handle, run.id()).map(RunParameters::masked).orElse(null)
            : null;
    if (run.startedAt() != null && run.managerJob() == null) {
      return RunWorkflows.shown(handle, run, parameters);
    }
    int running =
        run.state() == RunState.RUNNING
            ? TaskWorkerDao.count(handle, run.id(), WorkerRole.WORK, WorkerState.LIVE)
                + TaskWorkerDao.count(handle, run.id(), WorkerRole.WORK, WorkerState.LENT)
            : 0;
    return run.view(running, parameters, null);
  }
}
