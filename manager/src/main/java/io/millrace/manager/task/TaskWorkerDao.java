package io.millrace.manager.task;

import io.millrace.api.job.JobState;
import io.millrace.api.job.Outcome;
import io.millrace.api.task.TaskRunView.TaskRunDetails.FailedChunk;
import io.millrace.manager.job.JobRunDao;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.mapper.RowMapper;
import org.jdbi.v3.core.mapper.reflect.ConstructorMapper;
import org.jdbi.v3.core.statement.PreparedBatch;

/** Rows of {@code task_worker}. Stateless; runs in the caller's transaction. */
public final class TaskWorkerDao {
  private static final RowMapper<WorkerRow> ROW = ConstructorMapper.of(WorkerRow.class);
  private static final int BATCH = 1000;

  private TaskWorkerDao() {}

  /** A new worker. */
  public record NewWorker(WorkerRole role, long position, String chunk, long job) {}

  public static void insert(Handle handle, long run, List<NewWorker> workers) {
    // The rows of workers that succeed are deleted, their jobs stay.
    JobRunDao.insert(handle, run, workers.stream().map(NewWorker::job).toList());
    PreparedBatch batch =
        handle.prepareBatch(
            """
            insert into task_worker (run_id, role, state, position, chunk, job_id)
            values (:run, :role, 'LIVE', :position, :chunk, :job)
            """);
    for (NewWorker worker : workers) {
      batch
          .bind("run", run)
          .bind("role", worker.role().name())
          .bind("position", worker.position())
          .bind("chunk", worker.chunk())
          .bind("job", worker.job())
          .add();
    }
    if (!workers.isEmpty()) {
      batch.execute();
    }
  }

  /** The chunks that these jobs work on, by job; jobs without one are left out. */
  public static Map<Long, String> chunksOf(Handle handle, Collection<Long> jobs) {
    if (jobs.isEmpty()) {
      return Map.of();
    }
    return handle
        .createQuery(
            """
            select job_id, chunk
            from task_worker
            where job_id in (<jobs>) and role = 'WORK' and chunk is not null
            """)
        .bindList("jobs", List.copyOf(jobs))
        .map((row, context) -> Map.entry(row.getLong("job_id"), row.getString("chunk")))
        .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
  }

  /**
   * Workers counted as live whose job has ended or is deleted, in the order in which they ended.
   */
  public static List<WorkerRow> ended(Handle handle, long run) {
    return handle
        .createQuery(
            """
            select w.id, w.role, w.position, w.chunk, w.job_id as job, j.state, j.outcome,
                j.started_at, j.ended_at
            from task_worker w
            left join job j on j.id = w.job_id
            where w.run_id = :run and w.state = 'LIVE'
                and (j.id is null or j.state in ('SUCCEEDED', 'FAILED', 'CANCELLED'))
            order by j.ended_at, w.id
            """)
        .bind("run", run)
        .map(ROW)
        .list();
  }

  /** Jobs of the run that count as live. */
  public static List<Long> live(Handle handle, long run) {
    return handle
        .createQuery(
            """
            select job_id
            from task_worker
            where run_id = :run and state = 'LIVE'
            order by job_id
            """)
        .bind("run", run)
        .mapTo(Long.class)
        .list();
  }

  public static int count(Handle handle, long run, WorkerRole role, WorkerState state) {
    return handle
        .createQuery(
            """
            select count(*)
            from task_worker
            where run_id = :run and state = :state and role = :role
            """)
        .bind("run", run)
        .bind("state", state.name())
        .bind("role", role.name())
        .mapTo(Integer.class)
        .one();
  }

  /** The state and job of a step that a run does once. */
  public static Optional<Step> step(Handle handle, long run, WorkerRole role) {
    return handle
        .createQuery(
            """
            select w.id, w.state, w.job_id as job, j.node_name as node, j.ended_at
            from task_worker w
            left join job j on j.id = w.job_id
            where w.run_id = :run and w.role = :role
            order by w.id desc
            limit 1
            """)
        .bind("run", run)
        .bind("role", role.name())
        .map(ConstructorMapper.of(Step.class))
        .findOne();
  }

  /**
   * A step that a run does once.
   *
   * @param id of the row
   * @param state of the row
   * @param job the job
   * @param node name of the node of its last attempt; null if unknown
   * @param endedAt null while the job is live, or when it was deleted
   */
  public record Step(long id, String state, long job, String node, Instant endedAt) {}

  /** The first chunks that have to be done again. */
  public static List<WorkerRow> pending(Handle handle, long run, int limit) {
    return handle
        .createQuery(
            """
            select w.id, w.role, w.position, w.chunk, w.job_id as job, j.state, j.outcome,
                j.started_at, j.ended_at
            from task_worker w
            left join job j on j.id = w.job_id
            where w.run_id = :run and w.state = 'PENDING'
            order by w.id
            limit :limit
            """)
        .bind("run", run)
        .bind("limit", limit)
        .map(ROW)
        .list();
  }

  /** The first failed chunks, with reasons. */
  public static List<FailedChunk> failed(Handle handle, long run, int limit) {
    return handle
        .createQuery(
            """
            select w.position, w.chunk, w.job_id as job, coalesce(j.reason, w.said) as reason
            from task_worker w
            left join job j on j.id = w.job_id
            where w.run_id = :run and w.role = 'WORK' and w.state in ('FAILED', 'PENDING')
            order by w.position, w.id
            limit :limit
            """)
        .bind("run", run)
        .bind("limit", limit)
        .map(ConstructorMapper.of(FailedChunk.class))
        .list();
  }

  /** Changes the state of rows. */
  public static void mark(Handle handle, Collection<Long> ids, WorkerState state) {
    inBatches(
        ids,
        some ->
            handle
                .createUpdate("update task_worker set state = :state where id in (<ids>)")
                .bind("state", state.name())
                .bindList("ids", some)
                .execute());
  }

  /** Makes rows pending: their chunks have to be done again. */
  public static void pend(Handle handle, Collection<Long> ids) {
    inBatches(
        ids,
        some ->
            handle
                .createUpdate(
                    """
                    update task_worker
                    set state = 'PENDING', job_id = null
                    where id in (<ids>)
                    """)
                .bindList("ids", some)
                .execute());
  }

  public static void delete(Handle handle, Collection<Long> ids) {
    inBatches(
        ids,
        some ->
            handle
                .createUpdate("delete from task_worker where id in (<ids>)")
                .bindList("ids", some)
                .execute());
  }

  /** Makes everything that failed in a run pending; steps that are done once start over. */
  public static void pendFailed(Handle handle, long run) {
    handle
        .createUpdate(
            """
            delete from task_worker
            where run_id = :run and ((role = 'LIST' and state = 'FAILED') or role = 'VERIFY')
            """)
        .bind("run", run)
        .execute();
    handle
        .createUpdate(
            """
            update task_worker
            set state = 'PENDING', job_id = null, tries = 0
            where run_id = :run and state = 'FAILED'
            """)
        .bind("run", run)
        .execute();
  }

  /** Hands what a stopped run left over to its successor. */
  public static void hand(Handle handle, long from, long to) {
    handle
        .createUpdate(
            """
            update task_worker
            set run_id = :to
            where run_id = :from and state = 'PENDING'
            """)
        .bind("to", to)
        .bind("from", from)
        .execute();
    handle
        .createUpdate("update task_chunk set run_id = :to where run_id = :from")
        .bind("to", to)
        .bind("from", from)
        .execute();
  }

  /** The runs whose chunks these jobs process, by job; other jobs are left out. */
  public static Map<Long, Long> runsOf(Handle handle, Collection<Long> jobs) {
    return handle
        .createQuery(
            """
            select job_id, run_id
            from task_worker
            where job_id in (<jobs>) and role = 'WORK' and state = 'LIVE'
            """)
        .bindList("jobs", List.copyOf(jobs))
        .map((row, context) -> Map.entry(row.getLong("job_id"), row.getLong("run_id")))
        .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
  }

  /** Task managers of the runs that these jobs work for. */
  public static List<Long> managersOf(Handle handle, Collection<Long> jobs) {
    return handle
        .createQuery(
            """
            select distinct r.manager_job
            from task_worker w
            join task_run r on r.id = w.run_id
            where w.job_id in (<jobs>) and r.manager_job is not null
            """)
        .bindList("jobs", List.copyOf(jobs))
        .mapTo(Long.class)
        .list();
  }

  private static void inBatches(Collection<Long> ids, Consumer<List<Long>> statement) {
    List<Long> all = List.copyOf(ids);
    for (int from = 0; from < all.size(); from += BATCH) {
      statement.accept(all.subList(from, Math.min(from + BATCH, all.size())));
    }
  }

  /**
   * A worker of a run with the outcome of its job.
   *
   * @param id of the row
   * @param role what it is for
   * @param position of its chunk, from 0
   * @param chunk null for none
   * @param job null when it has to be done again
   * @param state of the job; null when the job was deleted
   * @param outcome of its last attempt; null for none
   * @param startedAt of its last attempt; null for none
   * @param endedAt of the job; null while it lives
   */
  record WorkerRow(
      long id,
      WorkerRole role,
      long position,
      String chunk,
      Long job,
      JobState state,
      Outcome outcome,
      Instant startedAt,
      Instant endedAt) {
    public boolean succeeded() {
      return state == JobState.SUCCEEDED;
    }

    /** Whether it found nothing to do. */
    public boolean idle() {
      return succeeded() && outcome == Outcome.IDLE;
    }

    /** How long its last attempt took; 0 if unknown. */
    public long millis() {
      return startedAt == null || endedAt == null
          ? 0
          : Math.max(0, Duration.between(startedAt, endedAt).toMillis());
    }
  }

  /** The role of a job in a run. */
  enum WorkerRole {
    /** Prints the chunks. */
    LIST,
    /** Does the work. */
    WORK,
    /** Verifies that it is done. */
    VERIFY
  }

  /** The state of a row of a worker. */
  enum WorkerState {
    /** The chunk has to be done again. */
    PENDING,
    /** Its job has not ended, or its end has not been counted. */
    LIVE,
    /** Its chunk is leased by a program. */
    LENT,
    /** Failed permanently. */
    FAILED,
    /** Succeeded; only of steps that are done once. */
    DONE
  }
}
