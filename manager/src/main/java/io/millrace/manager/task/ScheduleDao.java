package io.millrace.manager.task;

import io.millrace.manager.schedule.DueDecision.NextStart;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.result.RowView;

/**
 * Rows of {@code task_schedule}. Stateless; runs in the caller's transaction. Order of locks: a
 * task's schedule, its runs, jobs.
 */
public final class ScheduleDao {
  private ScheduleDao() {}

  public static Optional<ScheduleRow> find(Handle handle, String task) {
    return handle
        .createQuery("select * from task_schedule where task = :task")
        .bind("task", task)
        .map(ScheduleDao::row)
        .findOne();
  }

  /** The same, locked until the end of the transaction. */
  public static Optional<ScheduleRow> lock(Handle handle, String task) {
    return handle
        .createQuery("select * from task_schedule where task = :task for update")
        .bind("task", task)
        .map(ScheduleDao::row)
        .findOne();
  }

  /** Creates the row of a task unless it exists. */
  public static void ensure(Handle handle, String task, int version, Instant firstApplied) {
    handle
        .createUpdate(
            """
            insert ignore into task_schedule (task, version, first_applied, revision, paused,
                counter)
            values (:task, :version, :first, 0, false, 0)
            """)
        .bind("task", task)
        .bind("version", version)
        .bind("first", firstApplied)
        .execute();
  }

  /** Removes the row of a deleted task. */
  public static void remove(Handle handle, String task) {
    handle
        .createUpdate("delete from task_schedule where task = :task")
        .bind("task", task)
        .execute();
  }

  /** Tasks whose row does not reflect the definition in force yet. */
  public static List<String> changed(Handle handle) {
    return handle
        .createQuery(
            """
            select d.name
            from (
                select name, max(version) as version
                from definition
                where kind = 'task'
                group by kind, name
            ) d
            left join task_schedule s on s.task = d.name
            where (s.version is null or d.version > s.version)
                and not exists (
                    select 1
                    from definition_deletion x
                    where x.kind = 'task' and x.name = d.name and x.version = d.version
                        and x.state = 'DELETED')
            order by d.name
            """)
        .mapTo(String.class)
        .list();
  }

  /** Tasks that are due, the longest due first. */
  public static List<String> due(Handle handle, Instant now, int limit) {
    return handle
        .createQuery(
            """
            select task
            from task_schedule
            where due_at <= :now and paused = false
            order by due_at
            limit :limit
            """)
        .bind("now", now)
        .bind("limit", limit)
        .mapTo(String.class)
        .list();
  }

  /** Tasks that have been due since before a moment, the longest due first. */
  public static List<ScheduleRow> late(Handle handle, Instant before, int limit) {
    return handle
        .createQuery(
            """
            select *
            from task_schedule
            where due_at < :before and paused = false
            order by due_at
            limit :limit
            """)
        .bind("before", before)
        .bind("limit", limit)
        .map(ScheduleDao::row)
        .list();
  }

  /** When the next of them is due; empty for never. */
  public static Optional<Instant> nextDue(Handle handle) {
    return handle
        .createQuery("select min(due_at) from task_schedule where paused = false")
        .mapTo(Instant.class)
        .findOne();
  }

  /** Paused tasks whose time passed before a moment. */
  public static List<ScheduleRow> passedInPause(Handle handle, Instant before, int limit) {
    return handle
        .createQuery(
            """
            select *
            from task_schedule
            where due_at < :before and paused = true
            order by due_at
            limit :limit
            """)
        .bind("before", before)
        .bind("limit", limit)
        .map(ScheduleDao::row)
        .list();
  }

  /** Tasks whose pause has expired. */
  public static List<String> resuming(Handle handle, Instant now) {
    return handle
        .createQuery(
            """
            select task
            from task_schedule
            where paused = true and paused_until <= :now
            order by task
            """)
        .bind("now", now)
        .mapTo(String.class)
        .list();
  }

  /** Writes the next start of a locked row; false if its revision has changed. */
  public static boolean plan(
      Handle handle, ScheduleRow locked, int version, NextStart next, Instant lastPlanned) {
    return handle
            .createUpdate(
                """
                update task_schedule
                set version = :version, next_at = :next, due_at = :due, last_planned = :last,
                    revision = revision + 1
                where task = :task and revision = :revision
                """)
            .bind("version", version)
            .bind("next", next.plannedAt())
            .bind("due", next.dueAt())
            .bind("last", lastPlanned)
            .bind("task", locked.task())
            .bind("revision", locked.revision())
            .execute()
        == 1;
  }

  public static void pause(Handle handle, String task, String actor, String reason, Instant until) {
    handle
        .createUpdate(
            """
            update task_schedule
            set paused = true, paused_by = :who, pause_reason = :reason, paused_until = :until,
                pause_record = null
            where task = :task
            """)
        .bind("who", actor)
        .bind("reason", reason)
        .bind("until", until)
        .bind("task", task)
        .execute();
  }

  /** Sets the run that records the times that pass during the pause. */
  public static void pauseRecord(Handle handle, String task, long run) {
    handle
        .createUpdate("update task_schedule set pause_record = :run where task = :task")
        .bind("run", run)
        .bind("task", task)
        .execute();
  }

  public static void resume(Handle handle, String task) {
    handle
        .createUpdate(
            """
            update task_schedule
            set paused = false, paused_by = null, pause_reason = null, paused_until = null,
                pause_record = null
            where task = :task
            """)
        .bind("task", task)
        .execute();
  }

  public static void measured(Handle handle, String task, double chunkSeconds) {
    handle
        .createUpdate(
            """
            update task_schedule
            set chunk_seconds = :seconds
            where task = :task
            """)
        .bind("seconds", chunkSeconds)
        .bind("task", task)
        .execute();
  }

  /** Takes numbers from the counter; returns the last of them. The row stays locked. */
  public static long count(Handle handle, String task, int count) {
    handle
        .createUpdate(
            """
            update task_schedule
            set counter = counter + :count
            where task = :task
            """)
        .bind("count", count)
        .bind("task", task)
        .execute();
    return handle
        .createQuery("select counter from task_schedule where task = :task")
        .bind("task", task)
        .mapTo(Long.class)
        .one();
  }

  private static ScheduleRow row(RowView row) {
    Instant planned = row.getColumn("next_at", Instant.class);
    Double seconds = row.getColumn("chunk_seconds", Double.class);
    return new ScheduleRow(
        row.getColumn("task", String.class),
        row.getColumn("version", Integer.class),
        row.getColumn("first_applied", Instant.class),
        planned == null
            ? NextStart.NEVER
            : new NextStart(planned, row.getColumn("due_at", Instant.class)),
        row.getColumn("last_planned", Instant.class),
        row.getColumn("revision", Long.class),
        row.getColumn("paused", Boolean.class),
        row.getColumn("paused_by", String.class),
        row.getColumn("pause_reason", String.class),
        row.getColumn("paused_until", Instant.class),
        row.getColumn("pause_record", Long.class),
        seconds == null ? 0 : seconds);
  }

  /**
   * The stored state of a task besides its definition.
   *
   * @param task its name
   * @param version of the definition that the next start was computed from
   * @param firstApplied when it was first applied
   * @param next the planned time to decide on next
   * @param lastPlanned the newest planned time that was decided on; null for none
   * @param revision rises with each change of the next start
   * @param paused whether it is paused
   * @param pausedBy who paused it; null if unknown
   * @param pauseReason null for none
   * @param pausedUntil null until it is resumed
   * @param pauseRecord run that records the times that passed in this pause; null for none
   * @param chunkSeconds measured time of one worker for one chunk; 0 while unknown
   */
  record ScheduleRow(
      String task,
      int version,
      Instant firstApplied,
      NextStart next,
      Instant lastPlanned,
      long revision,
      boolean paused,
      String pausedBy,
      String pauseReason,
      Instant pausedUntil,
      Long pauseRecord,
      double chunkSeconds) {
    /** Whether it is due. */
    public boolean due(Instant now) {
      return next.dueAt() != null && !next.dueAt().isAfter(now);
    }
  }
}
