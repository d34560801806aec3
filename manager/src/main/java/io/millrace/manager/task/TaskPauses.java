package io.millrace.manager.task;

import io.millrace.manager.schedule.DueDecision;
import io.millrace.manager.schedule.DueDecision.PassedSpan;
import io.millrace.manager.schedule.DueRule;
import io.millrace.manager.schedule.SchedulePlan;
import io.millrace.manager.task.RunDao.NewRun;
import io.millrace.manager.task.ScheduleDao.ScheduleRow;
import java.time.Instant;
import java.util.Optional;
import org.jdbi.v3.core.Handle;

/**
 * Records the times that pass while a task is paused, one run per pause, in the caller's
 * transaction, which holds the lock of the schedule row. Thread-safe.
 */
final class TaskPauses {
  private final TaskDefinitions definitions;
  private final DueRule rule;

  TaskPauses(TaskDefinitions definitions, DueRule rule) {
    this.definitions = definitions;
    this.rule = rule;
  }

  /** Whether times that pass are caught up when the pause ends. */
  boolean keeps(ScheduleRow row) {
    return plan(row).filter(SchedulePlan::catchesUpPauses).isPresent();
  }

  /** Records what is due by now as missed, and advances the schedule. */
  void record(Handle handle, ScheduleRow row, Instant now) {
    Optional<SchedulePlan> plan = plan(row);
    if (plan.isEmpty()) {
      return;
    }
    DueDecision passed = rule.pass(plan.get(), row.next(), now, describe(row));
    if (passed.earlier() != null) {
      record(handle, row, passed.earlier(), now);
      ScheduleDao.plan(handle, row, row.version(), passed.next(), passed.earlier().last());
    }
  }

  private void record(Handle handle, ScheduleRow row, PassedSpan span, Instant now) {
    Optional<RunRow> kept =
        Optional.ofNullable(row.pauseRecord()).flatMap(id -> RunDao.lock(handle, id));
    if (kept.isEmpty()) {
      NewRun run = NewRun.missed(row.task(), row.version(), span, row.pausedBy());
      RunDao.insert(handle, run, now)
          .ifPresent(id -> ScheduleDao.pauseRecord(handle, row.task(), id));
      return;
    }
    Instant from = kept.get().plannedFrom();
    PassedSpan longer =
        PassedSpan.of(
            from == null ? kept.get().plannedAt() : from,
            span.last(),
            kept.get().plannedTimes() + span.count(),
            describe(row));
    RunDao.extend(handle, kept.get().id(), longer, now);
  }

  /** Describes the pause. */
  static String describe(ScheduleRow row) {
    return "paused"
        + (row.pausedBy() == null ? "" : " by " + row.pausedBy())
        + (row.pauseReason() == null ? "" : ": " + row.pauseReason());
  }

  private Optional<SchedulePlan> plan(ScheduleRow row) {
    if (row.version() == 0) {
      return Optional.empty();
    }
    return definitions.version(row.task(), row.version()).plan(row.firstApplied());
  }
}
