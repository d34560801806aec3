package io.millrace.manager.job;

import io.millrace.api.job.RetryPolicy;
import io.millrace.manager.job.JobColumns.RetryColumns;
import io.millrace.manager.placement.PlacementSnapshot.ReadyJob;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.mapper.RowMapper;
import org.jdbi.v3.core.statement.PreparedBatch;

/** The table {@code job_ready}: exactly the waiting jobs, queued by shape. Stateless. */
public final class ReadyJobDao {
  /**
   * A row.
   *
   * @param job the job
   * @param readyAt when it may start; also determines its age
   */
  public record Ready(JobFacts job, Instant readyAt) {}

  /**
   * The oldest job of a shape.
   *
   * @param shape the shape's id
   * @param job the job, due or not
   */
  public record Head(long shape, ReadyJob job) {}

  /**
   * A job that is not due.
   *
   * @param job its id
   * @param readyAt when it is due, by the database's clock
   * @param notBefore its earliest start; null for none
   * @param attempt its last attempt; 0 for none
   * @param restarts whether it is always started again
   * @param retry when a failed try is repeated
   * @param failedTries tries that failed
   * @param shortRuns short runs in a row, and refusals by nodes
   */
  public record Planned(
      long job,
      Instant readyAt,
      Instant notBefore,
      int attempt,
      boolean restarts,
      RetryPolicy retry,
      int failedTries,
      int shortRuns) {}

  private static final RowMapper<Planned> PLANNED =
      (row, context) ->
          new Planned(
              row.getLong("job_id"),
              JobColumns.instant(row, "ready_at"),
              JobColumns.instant(row, "not_before"),
              row.getInt("attempt_number"),
              row.getBoolean("restarts"),
              RetryColumns.read(row),
              row.getInt("failed_tries"),
              row.getInt("short_runs"));

  private final RestorationDao restorations = new RestorationDao();

  /**
   * Inserts new jobs; all values come from their rows.
   *
   * @param now the database's time
   */
  public void insertNew(Handle handle, Collection<Long> ids, Instant now) {
    handle
        .createUpdate(
            """
            insert into job_ready (job_id, pool, dispatch_rank, ready_at, slots, kind, queue,
                segment_node, near_node, shape_id, definition)
            select id, pool, -priority, coalesce(not_before, submitted_at), slots, kind, queue,
                segment_node, near_node, shape_id, definition
            from job
            where id in (<ids>)
            """)
        .bindList("ids", List.copyOf(ids))
        .execute();
    restorations.hold(handle, now).ifPresent(until -> restorations.holdBack(handle, ids, until));
  }

  /** Inserts jobs that wait again; all values except the time come from their rows. */
  public void insert(Handle handle, List<Ready> rows) {
    if (rows.isEmpty()) {
      return;
    }
    PreparedBatch batch =
        handle.prepareBatch(
            """
            insert into job_ready (job_id, pool, dispatch_rank, ready_at, slots, kind, queue,
                segment_node, near_node, shape_id, definition)
            select id, pool, -priority, :readyAt, slots, kind, queue, segment_node, near_node,
                shape_id, definition
            from job
            where id = :id
            """);
    for (Ready row : rows) {
      batch.bind("id", row.job().id()).bind("readyAt", row.readyAt()).add();
    }
    batch.execute();
    Instant earliest = rows.stream().map(Ready::readyAt).min(Instant::compareTo).orElseThrow();
    restorations
        .hold(handle, earliest)
        .ifPresent(
            until ->
                restorations.holdBack(
                    handle, rows.stream().map(row -> row.job().id()).toList(), until));
  }

  public void delete(Handle handle, Collection<Long> ids) {
    if (ids.isEmpty()) {
      return;
    }
    handle
        .createUpdate("delete from job_ready where job_id in (<ids>)")
        .bindList("ids", List.copyOf(ids))
        .execute();
  }

  /** Pools that have a waiting job; reads one row for each pool, however many jobs wait. */
  public List<String> pools(Handle handle) {
    List<String> pools = new ArrayList<>();
    Optional<String> next = nextPool(handle, "");
    while (next.isPresent()) {
      pools.add(next.get());
      next = nextPool(handle, next.get());
    }
    return pools;
  }

  private static Optional<String> nextPool(Handle handle, String after) {
    return handle
        .createQuery(
            """
            select pool
            from job_ready
            where pool >= :from
            order by pool
            limit 1
            """)
        // For "greater than", H2 would read all jobs of a pool. No name has a character below !.
        .bind("from", after + "!")
        .mapTo(String.class)
        .findOne();
  }

  /**
   * The oldest job of the pool's next shape, due or not; reads one row of an index, however many
   * jobs wait.
   *
   * @param after the shape before it; 0 for the first
   */
  public Optional<Head> nextShape(Handle handle, String pool, long after) {
    return handle
        .createQuery(
            """
            select shape_id, job_id, ready_at, near_node, definition
            from job_ready
            where pool = :pool and shape_id >= :from
            order by pool, shape_id, ready_at, job_id
            limit 1
            """)
        .bind("pool", pool)
        // For "greater than", H2 would read all jobs of the previous shape.
        .bind("from", after + 1)
        .map((row, context) -> new Head(row.getLong("shape_id"), ready(row)))
        .findOne();
  }

  /** The due jobs of a shape after that one, oldest first. */
  public List<ReadyJob> after(
      Handle handle, String pool, long shape, ReadyJob last, Instant now, int limit) {
    List<ReadyJob> page =
        handle
            .createQuery(
                """
            select job_id, ready_at, near_node, definition
            from job_ready
            where pool = :pool and shape_id = :shape and ready_at >= :lastAt
                and ready_at <= :now and (ready_at > :lastAt or job_id > :lastId)
            order by pool, shape_id, ready_at, job_id
            limit :limit
            """)
            .bind("pool", pool)
            .bind("shape", shape)
            .bind("lastAt", last.readyAt())
            .bind("lastId", last.id())
            .bind("now", now)
            .bind("limit", limit)
            .map((row, context) -> ready(row))
            .list();
    return withFailures(handle, page);
  }

  /** The jobs with their failed attempts by node; jobs that are always restarted have none. */
  public List<ReadyJob> withFailures(Handle handle, List<ReadyJob> jobs) {
    if (jobs.isEmpty()) {
      return jobs;
    }
    Map<Long, Map<UUID, Integer>> failures = new HashMap<>();
    handle
        .createQuery(
            """
            select a.job_id, a.node_id, count(*) as failures
            from job j
            join attempt a on a.job_id = j.id
            where j.id in (<jobs>) and j.attempt_number > 0 and not j.restarts
                and a.outcome in ('FAILED', 'SIGNALLED', 'START_FAILED', 'TIMED_OUT',
                    'MEMORY_EXCEEDED')
            group by a.job_id, a.node_id
            """)
        .bindList("jobs", jobs.stream().map(ReadyJob::id).toList())
        .map(
            (row, context) -> {
              failures
                  .computeIfAbsent(row.getLong("job_id"), none -> new HashMap<>())
                  .put(UUID.fromString(row.getString("node_id")), row.getInt("failures"));
              return true;
            })
        .list();
    return jobs.stream()
        .map(
            job ->
                failures.containsKey(job.id())
                    ? new ReadyJob(
                        job.id(),
                        job.readyAt(),
                        job.near(),
                        job.definition(),
                        failures.get(job.id()))
                    : job)
        .toList();
  }

  /** Number of waiting jobs of a shape, counted up to a bound. */
  public long count(Handle handle, String pool, long shape, long limit) {
    return handle
        .createQuery(
            """
            select count(*)
            from (
                select 1 as one
                from job_ready
                where pool = :pool and shape_id = :shape
                limit :most) counted
            """)
        .bind("pool", pool)
        .bind("shape", shape)
        .bind("most", limit)
        .mapTo(Long.class)
        .one();
  }

  /** Jobs of a shape after that time and job, the next ones first, with their earliest starts. */
  public List<Planned> notDue(
      Handle handle, String pool, long shape, Instant from, long lastId, int limit) {
    // Two statements: with "or" a page of jobs of one time would read all jobs of that time.
    List<Planned> page =
        new ArrayList<>(
            handle
                .createQuery(
                    """
                    select r.job_id, r.ready_at, j.not_before, j.attempt_number, j.restarts,
                        j.retry_max, j.retry_first_millis, j.retry_longest_millis, j.retry_on,
                        j.retry_exit_codes, j.retry_final_exit_codes, j.failed_tries, j.short_runs
                    from job_ready r
                    join job j on j.id = r.job_id
                    where r.pool = :pool and r.shape_id = :shape and r.ready_at = :from
                        and r.job_id > :lastId
                    order by r.pool, r.shape_id, r.ready_at, r.job_id
                    limit :limit
                    """)
                .bind("pool", pool)
                .bind("shape", shape)
                .bind("from", from)
                .bind("lastId", lastId)
                .bind("limit", limit)
                .map(PLANNED)
                .list());
    if (page.size() < limit) {
      page.addAll(
          handle
              .createQuery(
                  """
                  select r.job_id, r.ready_at, j.not_before, j.attempt_number, j.restarts,
                      j.retry_max, j.retry_first_millis, j.retry_longest_millis, j.retry_on,
                      j.retry_exit_codes, j.retry_final_exit_codes, j.failed_tries, j.short_runs
                  from job_ready r
                  join job j on j.id = r.job_id
                  where r.pool = :pool and r.shape_id = :shape and r.ready_at > :from
                  order by r.pool, r.shape_id, r.ready_at, r.job_id
                  limit :limit
                  """)
              .bind("pool", pool)
              .bind("shape", shape)
              .bind("from", from)
              .bind("limit", limit - page.size())
              .map(PLANNED)
              .list());
    }
    return page;
  }

  /**
   * Changes the earliest start of a job that waits after an attempt; false if it no longer waits.
   */
  public boolean postpone(Handle handle, Planned job, Instant until) {
    handle
        .createUpdate(
            """
            update job
            set not_before = :until
            where id = :id and attempt_number = :attempt and not_before = :before
            """)
        .bind("until", until)
        .bind("id", job.job())
        .bind("attempt", job.attempt())
        .bind("before", job.notBefore())
        .execute();
    return handle
            .createUpdate(
                """
                update job_ready
                set ready_at = :until
                where job_id = :id and ready_at = :before
                  and exists (select 1 from job j where j.id = :id and j.not_before = :until)
                """)
            .bind("until", until)
            .bind("id", job.job())
            .bind("before", job.readyAt())
            .execute()
        == 1;
  }

  /** Makes jobs due that are not; returns how many were still waiting. */
  public int makeDue(Handle handle, Collection<Long> jobs, Instant now) {
    return handle
        .createUpdate(
            """
            update job_ready
            set ready_at = :now
            where job_id in (<jobs>) and ready_at > :now
              and exists (select 1 from job j where j.id = job_ready.job_id
                and (j.not_before is null or j.not_before <= :now))
            """)
        .bind("now", now)
        .bindList("jobs", List.copyOf(jobs))
        .execute();
  }

  /** Jobs of the pool without a shape, because an older version recorded them. */
  public List<Long> shapeless(Handle handle, String pool, int limit) {
    return handle
        .createQuery(
            """
            select job_id
            from job_ready
            where pool = :pool and shape_id = 0
            order by pool, shape_id, ready_at, job_id
            limit :limit
            """)
        .bind("pool", pool)
        .bind("limit", limit)
        .mapTo(Long.class)
        .list();
  }

  /** Sets the shapes of jobs that the caller has locked. */
  public void setShapes(Handle handle, Map<Long, Long> shapes) {
    setShapes(handle, shapes, "update job set shape_id = :shape where id = :id");
    setShapes(handle, shapes, "update job_ready set shape_id = :shape where job_id = :id");
  }

  private static void setShapes(Handle handle, Map<Long, Long> shapes, String update) {
    PreparedBatch batch = handle.prepareBatch(update);
    shapes.forEach((job, shape) -> batch.bind("id", job).bind("shape", shape).add());
    batch.execute();
  }

  private static ReadyJob ready(ResultSet row) throws SQLException {
    return new ReadyJob(
        row.getLong("job_id"),
        JobColumns.instant(row, "ready_at"),
        row.getString("near_node"),
        row.getString("definition"));
  }
}
