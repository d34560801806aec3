package io.millrace.manager.task;

import io.millrace.api.ErrorCode;
import io.millrace.api.MessageText;
import io.millrace.api.MillraceException;
import io.millrace.api.definition.DeletionMode;
import io.millrace.api.definition.DeletionView.DeletionState;
import io.millrace.api.task.RunState;
import io.millrace.manager.definition.DefinitionDao;
import io.millrace.manager.definition.DefinitionDao.DefinitionRow;
import io.millrace.manager.definition.DefinitionRemoval;
import io.millrace.manager.definition.DeletionDao;
import io.millrace.manager.definition.DeletionDao.DeletionRow;
import io.millrace.manager.task.TaskDefinitions.TaskKind;
import io.millrace.platform.database.Database;
import io.millrace.platform.database.DatabaseTime;
import java.time.Instant;
import java.util.List;
import java.util.function.BiConsumer;
import org.jdbi.v3.core.Handle;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deletes tasks: open runs are stopped first, then the schedule is removed; runs, jobs and versions
 * stay. While its runs are being stopped, a task is paused, so that nothing starts. Thread-safe;
 * blocks on the database.
 */
public final class TaskRemoval implements DefinitionRemoval {
  private static final Logger LOGGER = LoggerFactory.getLogger(TaskRemoval.class);

  private final Database database;
  private final DatabaseTime time;
  private final RunLifecycle lifecycle;
  private final BiConsumer<Handle, List<String>> denials;

  /**
   * Deletions of tasks.
   *
   * @param denials forgets on which nodes these definitions of jobs were denied
   */
  public TaskRemoval(
      Database database, RunLifecycle lifecycle, BiConsumer<Handle, List<String>> denials) {
    this.database = database;
    this.time = new DatabaseTime(database.dialect());
    this.lifecycle = lifecycle;
    this.denials = denials;
  }

  @Override
  public String kind() {
    return TaskKind.KEYWORD;
  }

  @Override
  public RemovalPlan plan(
      Handle handle, DefinitionRow inForce, DeletionMode mode, DeletionRow before) {
    if (mode == DeletionMode.DRAIN || mode == DeletionMode.DISCARD) {
      throw new MillraceException(
          ErrorCode.INVALID_REQUEST,
          "a task is deleted with STOP, which stops its runs, not with " + mode);
    }
    String task = inForce.name();
    // The row that whoever adopts or launches the task locks, also one not adopted yet.
    ScheduleDao.ensure(handle, task, 0, inForce.appliedAt());
    ScheduleDao.lock(handle, task);
    List<RunRow> open = RunDao.open(handle, task);
    if (open.isEmpty()) {
      return new RemovalPlan(DeletionMode.NONE, DeletionState.DELETED, 0, List.of());
    }
    if (mode != DeletionMode.STOP) {
      RunRow run = open.get(0);
      throw new MillraceException(
          ErrorCode.CONFLICT,
          "run %1$d of task %2$s is %3$s; nothing was deleted. Wait for it to end ('millrace task pause %2$s' keeps the next from starting), or stop it with --stop (mode STOP in the API)"
              .formatted(run.id(), task, MessageText.of(run.state())));
    }
    List<String> work =
        open.stream()
            .map(run -> "run %d, %s".formatted(run.id(), MessageText.of(run.state())))
            .toList();
    return new RemovalPlan(DeletionMode.STOP, DeletionState.ENDING, 0, work);
  }

  @Override
  public void begin(Handle handle, DeletionRow begun, Instant now) {
    String task = begun.name();
    if (begun.done()) {
      remove(handle, task);
      return;
    }
    ScheduleDao.pause(handle, task, begun.saidBy(), "it is being deleted", null);
    String reason = "task %s is deleted by %s".formatted(task, begun.saidBy());
    for (RunRow run : RunDao.open(handle, task)) {
      lifecycle.requestStop(handle, run, RunState.STOPPED, reason, now);
    }
  }

  @Override
  public void advance(DeletionRow open) {
    database.transaction(
        handle -> {
          ScheduleDao.lock(handle, open.name());
          DeletionRow row =
              DeletionDao.lock(handle, open.kind(), open.name(), open.version()).orElseThrow();
          if (!row.done() && RunDao.open(handle, open.name()).isEmpty()) {
            remove(handle, open.name());
            DeletionDao.update(handle, row.in(DeletionState.DELETED, time.now(handle)));
          }
          return null;
        });
  }

  private void remove(Handle handle, String task) {
    ScheduleDao.remove(handle, task);
    denials.accept(handle, List.of(TaskSpecs.owner(task) + "/"));
    LOGGER.info("task {} is deleted", task);
  }

  @Override
  public void tidy(Handle handle, DeletionRow done) {
    if (ScheduleDao.lock(handle, done.name()).isPresent()
        && DefinitionDao.inForce(handle, done.kind(), done.name()).isEmpty()) {
      ScheduleDao.remove(handle, done.name());
    }
  }

  @Override
  public List<String> waitsFor(DeletionRow open) {
    return database.read(handle -> RunDao.open(handle, open.name())).stream()
        .map(run -> "run %d, which is being stopped".formatted(run.id()))
        .toList();
  }
}
