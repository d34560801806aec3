package io.millrace.manager.task;

import io.millrace.api.task.RunCause;
import io.millrace.api.task.RunState;
import io.millrace.manager.schedule.DueDecision.PassedSpan;
import io.millrace.manager.task.SettleRule.RunProgress;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.mapper.RowMapper;
import org.jdbi.v3.core.mapper.reflect.ConstructorMapper;

/** Rows of {@code task_run}. Stateless; runs in the caller's transaction. */
public final class RunDao {
  private static final RowMapper<RunRow> ROW = ConstructorMapper.of(RunRow.class);
  private static final int LONGEST_REASON = 2000;
  private static final int PARTS = 2000;

  private RunDao() {}

  /** A new run. */
  public record NewRun(
      String task,
      int version,
      RunCause cause,
      Instant plannedAt,
      RunState state,
      String reason,
      String saidBy,
      PassedSpan span) {
    /** One planned time. */
    public NewRun(
        String task,
        int version,
        RunCause cause,
        Instant plannedAt,
        RunState state,
        String reason,
        String saidBy) {
      this(task, version, cause, plannedAt, state, reason, saidBy, null);
    }

    /** A record of missed planned times. */
    public static NewRun missed(String task, int version, PassedSpan span, String saidBy) {
      return new NewRun(
          task,
          version,
          RunCause.SCHEDULE,
          span.last(),
          RunState.MISSED,
          span.reason(),
          saidBy,
          span);
    }

    private Instant from() {
      return span == null || span.count() == 1 ? null : span.first();
    }

    long times() {
      return span == null ? 1 : span.count();
    }
  }

  /**
   * Records a run; empty when its planned time was recorded before, which only another launcher
   * with an older view can have done.
   */
  public static Optional<Long> insert(Handle handle, NewRun run, Instant now) {
    boolean once = run.cause() != RunCause.MANUAL;
    int rows =
        handle
            .createUpdate(
                """
                insert ignore into task_run (task, version, cause, planned_at, planned_once, state,
                    reason, said_by, ended_at, total, listed, next_chunk, done, idle, failed,
                    failed_in_row, worker_millis, planned_from, planned_times)
                values (:task, :version, :cause, :planned, :once, :state, :reason, :who, :ended, 0,
                    false, 0, 0, 0, 0, 0, 0, :from, :times)
                """)
            .bind("task", run.task())
            .bind("version", run.version())
            .bind("cause", run.cause().name())
            .bind("planned", run.plannedAt())
            .bind("once", once ? run.plannedAt() : null)
            .bind("state", run.state().name())
            .bind("reason", shortened(run.reason()))
            .bind("who", run.saidBy())
            .bind("ended", run.state().ended() ? now : null)
            .bind("from", run.from())
            .bind("times", run.times())
            .execute();
    if (rows == 0) {
      return Optional.empty();
    }
    return Optional.of(
        handle
            .createQuery("select max(id) from task_run where task = :task")
            .bind("task", run.task())
            .mapTo(Long.class)
            .one());
  }

  /** Extends a record of missed times to cover more of them. */
  public static void extend(Handle handle, long id, PassedSpan span, Instant now) {
    handle
        .createUpdate(
            """
            update task_run
            set planned_at = :last, planned_once = :last, planned_from = :first,
                planned_times = :times, reason = :reason, ended_at = :now
            where id = :id
            """)
        .bind("last", span.last())
        .bind("first", span.first())
        .bind("times", span.count())
        .bind("reason", shortened(span.reason()))
        .bind("now", now)
        .bind("id", id)
        .execute();
  }

  public static Optional<RunRow> find(Handle handle, long id) {
    return handle
        .createQuery("select * from task_run where id = :id")
        .bind("id", id)
        .map(ROW)
        .findOne();
  }

  /** The same, locked until the end of the transaction. */
  public static Optional<RunRow> lock(Handle handle, long id) {
    return handle
        .createQuery("select * from task_run where id = :id for update")
        .bind("id", id)
        .map(ROW)
        .findOne();
  }

  /** Runs in that state, oldest first. */
  public static List<RunRow> in(Handle handle, RunState state) {
    return handle
        .createQuery("select * from task_run where state = :state order by id")
        .bind("state", state.name())
        .map(ROW)
        .list();
  }

  /**
   * Running runs without a task manager, which are those of workflows, oldest first.
   *
   * @param after only those with higher ids; 0 for all
   */
  static List<RunRow> unmanaged(Handle handle, long after, int limit) {
    return handle
        .createQuery(
            """
            select *
            from task_run
            where state = 'RUNNING' and manager_job is null and id > :after
            order by id
            limit :limit
            """)
        .bind("after", after)
        .bind("limit", limit)
        .map(ROW)
        .list();
  }

  /** The queued and running runs of the task, oldest first. */
  public static List<RunRow> open(Handle handle, String task) {
    return handle
        .createQuery(
            """
            select *
            from task_run
            where task = :task and state in ('QUEUED', 'RUNNING')
            order by id
            """)
        .bind("task", task)
        .map(ROW)
        .list();
  }

  /** The newest run of the task that started and ended. */
  public static Optional<RunRow> lastEnded(Handle handle, String task) {
    // One subquery for each state, because planned times that never started may be many.
    return handle
        .createQuery(
            """
            select *
            from task_run
            where id = (
                select max(l.last_id)
                from (
                    select max(id) as last_id
                    from task_run
                    where task = :task and state = 'SUCCEEDED' and started_at is not null
                    union all
                    select max(id)
                    from task_run
                    where task = :task and state = 'FAILED' and started_at is not null
                    union all
                    select max(id)
                    from task_run
                    where task = :task and state = 'STOPPED' and started_at is not null
                ) l)
            """)
        .bind("task", task)
        .map(ROW)
        .findOne();
  }

  /** Runs of the task with lower ids, newest first; null for the newest. */
  public static List<RunRow> page(Handle handle, String task, Long before, int limit) {
    return handle
        .createQuery(
            """
            select *
            from task_run
            where task = :task and id < :before
            order by id desc
            limit :limit
            """)
        .bind("task", task)
        .bind("before", before == null ? Long.MAX_VALUE : before)
        .bind("limit", limit)
        .map(ROW)
        .list();
  }

  /** Runs that ended in this state since a moment, the last to end first. */
  public static List<RunRow> endedSince(Handle handle, RunState state, Instant since, int limit) {
    return handle
        .createQuery(
            """
            select *
            from task_run
            where state = :state and ended_at > :since
            order by state desc, ended_at desc, id desc
            limit :limit
            """)
        .bind("state", state.name())
        .bind("since", since)
        .bind("limit", limit)
        .map(ROW)
        .list();
  }

  /**
   * A queued or ended run is running under a task manager, null for a workflow; false if its state
   * has changed.
   */
  public static boolean start(Handle handle, RunRow locked, Long managerJob, Instant now) {
    return handle
            .createUpdate(
                """
                update task_run
                set state = 'RUNNING', reason = null, stop_as = null,
                    started_at = coalesce(started_at, :now), ended_at = null, manager_job = :manager
                where id = :id and state = :state
                """)
            .bind("now", now)
            .bind("manager", managerJob)
            .bind("id", locked.id())
            .bind("state", locked.state().name())
            .execute()
        == 1;
  }

  public static void requestStop(Handle handle, long id, RunState as, String reason) {
    handle
        .createUpdate(
            """
            update task_run
            set stop_as = :state, reason = :reason
            where id = :id and stop_as is null
            """)
        .bind("state", as.name())
        .bind("reason", shortened(reason))
        .bind("id", id)
        .execute();
  }

  /** Ends an open run; false when it ended before. */
  public static boolean end(Handle handle, long id, RunState state, String reason, Instant now) {
    return handle
            .createUpdate(
                """
                update task_run
                set state = :state, reason = :reason, ended_at = :now
                where id = :id and state in ('QUEUED', 'RUNNING')
                """)
            .bind("state", state.name())
            .bind("reason", shortened(reason))
            .bind("now", now)
            .bind("id", id)
            .execute()
        == 1;
  }

  /** Adds progress of workers. */
  public static void count(Handle handle, long id, RunProgress settled) {
    handle
        .createUpdate(
            """
            update task_run
            set done = done + :done, idle = idle + :idle, failed = failed + :failed,
                failed_in_row = :row, worker_millis = worker_millis + :millis,
                total = total + :more
            where id = :id
            """)
        .bind("done", settled.done())
        .bind("idle", settled.idle())
        .bind("failed", settled.failed())
        .bind("row", settled.failedInRow())
        .bind("millis", settled.workerMillis())
        .bind("more", settled.more())
        .bind("id", id)
        .execute();
  }

  /** Records how many steps of its workflow there are, succeeded and failed. */
  static void progress(Handle handle, long id, long total, long done, long failed) {
    handle
        .createUpdate(
            """
            update task_run
            set total = :total, done = :done, failed = :failed
            where id = :id
            """)
        .bind("total", total)
        .bind("done", done)
        .bind("failed", failed)
        .bind("id", id)
        .execute();
  }

  /** Records the number of chunks once it is known. */
  public static void list(Handle handle, long id, long total) {
    handle
        .createUpdate(
            """
            update task_run
            set total = :total, listed = true
            where id = :id
            """)
        .bind("total", total)
        .bind("id", id)
        .execute();
  }

  /** Moves the cursor of a locked run. */
  public static void advance(Handle handle, long id, long nextChunk, long total) {
    handle
        .createUpdate(
            """
            update task_run
            set next_chunk = :next, total = :total
            where id = :id
            """)
        .bind("next", nextChunk)
        .bind("total", total)
        .bind("id", id)
        .execute();
  }

  /** Takes over the progress of another run. */
  public static void inherit(Handle handle, long id, RunRow from) {
    handle
        .createUpdate(
            """
            update task_run
            set total = :total, listed = :listed, next_chunk = :next, done = :done
            where id = :id
            """)
        .bind("total", from.total())
        .bind("listed", from.listed())
        .bind("next", from.nextChunk())
        .bind("done", from.done())
        .bind("id", id)
        .execute();
  }

  /** Resets the failure counts: failed work is to be done again. */
  public static void forgetFailures(Handle handle, long id) {
    handle
        .createUpdate(
            """
            update task_run
            set failed = 0, failed_in_row = 0
            where id = :id
            """)
        .bind("id", id)
        .execute();
  }

  /**
   * Deletes some of the oldest runs that ended before this time: first the rows that belong to a
   * run, then the run, so that a run with very many chunks takes several calls.
   *
   * @return whether more may be left
   */
  public static boolean deleteSome(Handle handle, Instant before, int limit) {
    List<Long> old =
        handle
            .createQuery(
                """
                select id
                from task_run
                where ended_at < :before and state not in ('QUEUED', 'RUNNING')
                order by ended_at, id
                limit :limit
                """)
            .bind("before", before)
            .bind("limit", limit)
            .mapTo(Long.class)
            .list();
    if (old.isEmpty()) {
      return false;
    }
    int parts =
        handle
                .createUpdate("delete from task_worker where run_id in (<ids>) limit :limit")
                .bindList("ids", old)
                .bind("limit", PARTS)
                .execute()
            + handle
                .createUpdate("delete from task_chunk where run_id in (<ids>) limit :limit")
                .bindList("ids", old)
                .bind("limit", PARTS)
                .execute();
    if (parts >= PARTS) {
      return true;
    }
    RunParameterDao.delete(handle, old);
    RunWorkflowDao.delete(handle, old);
    handle.createUpdate("delete from task_run where id in (<ids>)").bindList("ids", old).execute();
    return old.size() == limit;
  }

  private static String shortened(String reason) {
    return reason == null || reason.length() <= LONGEST_REASON
        ? reason
        : reason.substring(0, LONGEST_REASON);
  }
}
