package io.millrace.manager.insight;

import io.millrace.api.job.JobKind;
import io.millrace.manager.insight.JobProblems.WaitingJob;
import io.millrace.manager.placement.ShapeDao;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.mapper.reflect.ConstructorMapper;
import org.jdbi.v3.core.result.RowView;

/**
 * Reads what the list of problems shows. Every statement reads few rows of an index or stops early,
 * however many jobs wait. Stateless.
 */
public final class ProblemDao {
  /**
   * Waiting jobs of one shape that lack a licence.
   *
   * @param amounts what each asks for, by licence
   * @param since when the dispatch found so first
   * @param job the first of them; null if none waits any more
   */
  public record Licensed(Map<String, Integer> amounts, Instant since, Long job) {}

  /** A waiting job with its deadline. */
  public record Due(WaitingJob job, Instant deadline) {}

  /**
   * Waiting jobs of one shape that is too large for every matching active node.
   *
   * @param pool their pool
   * @param slots slots that each asks for
   * @param cpuMillis thousandths of a processor that each asks for
   * @param memoryBytes memory that each asks for
   * @param words how the dispatch explained it
   * @param job the first of them; null if none waits any more
   */
  public record Oversized(
      String pool, int slots, int cpuMillis, long memoryBytes, String words, Long job) {}

  /**
   * Waiting jobs of one shape that no active node matches.
   *
   * @param pool their pool
   * @param words how the dispatch explained it
   * @param since when the dispatch found so first
   * @param job the first of them; null if none waits any more
   */
  public record Unmatched(String pool, String words, Instant since, Long job) {}

  /**
   * Single instances, including queue managers, that could have started before a moment. One whose
   * attempt was lost keeps its place, but has waited since the end of that attempt only.
   */
  public List<WaitingJob> overdueSingles(Handle handle, Instant now, Instant before, int limit) {
    return handle
        .createQuery(
            // The unique index on names contains those of live jobs only.
            """
            select j.id, j.name, j.kind, j.pool,
                coalesce((
                    select w.words
                    from shape_wait w
                    where w.shape_id = j.shape_id and w.ended_at is null
                    limit 1), j.reason) as reason,
                coalesce(
                    (select case when a.ended_at > r.ready_at then a.ended_at end
                    from attempt a
                    where a.job_id = j.id and a.attempt_number = j.attempt_number),
                    r.ready_at) as since
            from job j
            join job_ready r on r.job_id = j.id
            where j.single_name >= '' and j.state = 'WAITING' and r.ready_at < :before
                and not exists (
                    select 1
                    from attempt a
                    where a.job_id = j.id and a.attempt_number = j.attempt_number
                        and a.ended_at >= :before)
            order by r.ready_at
            limit :limit
            """)
        .bind("before", before)
        .bind("limit", limit)
        .map(row -> waiting(row, now))
        .list();
  }

  /** Jobs that have not started and whose deadline is before a moment, the nearest first. */
  public List<Due> deadlines(Handle handle, Instant now, Instant before, int limit) {
    return handle
        .createQuery(
            """
            select j.id, j.name, j.kind, j.pool,
                coalesce(case when r.ready_at <= :now then (
                    select w.words
                    from shape_wait w
                    where w.shape_id = j.shape_id and w.ended_at is null
                    limit 1) end, j.reason) as reason,
                j.submitted_at as since, d.deadline
            from job_deadline d
            join job j on j.id = d.job_id
            left join job_ready r on r.job_id = j.id
            where d.deadline < :before and j.state in ('WAITING', 'BLOCKED', 'HELD')
            order by d.deadline, d.job_id
            limit :limit
            """)
        .bind("now", now)
        .bind("before", before)
        .bind("limit", limit)
        .map(row -> new Due(waiting(row, now), row.getColumn("deadline", Instant.class)))
        .list();
  }

  /** Shapes that ask for more than any matching active node has, the longest waiting first. */
  public List<Oversized> oversized(Handle handle, int limit) {
    return handle
        .createQuery(
            """
            select w.pool, s.slots, s.cpu_millis, s.memory_bytes, w.words, (
                    select r.job_id
                    from job_ready r
                    where r.pool = w.pool and r.shape_id = w.shape_id
                    order by r.pool, r.shape_id, r.ready_at, r.job_id
                    limit 1) as job
            from shape_wait w
            join job_shape s on s.id = w.shape_id
            where w.ended_at is null and w.code = 'TOO_LARGE'
            order by w.began_at, w.id
            limit :limit
            """)
        .bind("limit", limit)
        .map(ConstructorMapper.of(Oversized.class))
        .list();
  }

  /** Shapes that no active node has matched since before a moment, the longest waiting first. */
  public List<Unmatched> unmatched(Handle handle, Instant before, int limit) {
    return handle
        .createQuery(
            """
            select w.pool, w.words, w.began_at as since, (
                    select r.job_id
                    from job_ready r
                    where r.pool = w.pool and r.shape_id = w.shape_id
                    order by r.pool, r.shape_id, r.ready_at, r.job_id
                    limit 1) as job
            from shape_wait w
            where w.ended_at is null and w.code = 'NO_MATCH' and w.began_at <= :before
            order by w.began_at, w.id
            limit :limit
            """)
        .bind("before", before)
        .bind("limit", limit)
        .map(ConstructorMapper.of(Unmatched.class))
        .list();
  }

  /** Shapes that lack a licence, the longest waiting first. */
  public List<Licensed> licensed(Handle handle) {
    return handle
        .createQuery(
            """
            select s.licences, w.began_at as since, (
                    select r.job_id
                    from job_ready r
                    where r.pool = w.pool and r.shape_id = w.shape_id
                    order by r.pool, r.shape_id, r.ready_at, r.job_id
                    limit 1) as job
            from shape_wait w
            join job_shape s on s.id = w.shape_id
            where w.ended_at is null and w.code = 'LICENCE'
            order by w.began_at, w.id
            """)
        .map(
            row ->
                new Licensed(
                    ShapeDao.amounts(row.getColumn("licences", String.class)),
                    row.getColumn("since", Instant.class),
                    row.getColumn("job", Long.class)))
        .list();
  }

  /** Since when jobs of pools wait because no node that could run them takes jobs. */
  public Map<String, Instant> unavailable(Handle handle) {
    return handle
        .createQuery(
            """
            select w.pool, min(w.began_at) as since
            from shape_wait w
            where w.ended_at is null and w.code = 'NODES_CLOSED'
                and exists (
                    select 1
                    from job_ready r
                    where r.pool = w.pool and r.shape_id = w.shape_id)
            group by w.pool
            """)
        .map(
            row ->
                Map.entry(
                    row.getColumn("pool", String.class), row.getColumn("since", Instant.class)))
        .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
  }

  /** Jobs that are late by their own notification settings and have not started yet. */
  public List<WaitingJob> late(Handle handle, Instant now, int limit) {
    return handle
        .createQuery(
            """
            select j.id, j.name, j.kind, j.pool,
                coalesce(case when r.ready_at <= :now then (
                    select w.words
                    from shape_wait w
                    where w.shape_id = j.shape_id and w.ended_at is null
                    limit 1) end, j.reason) as reason,
                j.submitted_at as since
            from (
                select distinct d.id, d.submitted_at
                from notice n
                join job d on d.id = n.job_id
                where n.occasion = 'LATE' and n.due_at <= :now
                    and d.state in ('WAITING', 'BLOCKED', 'HELD')
                order by d.submitted_at, d.id
                limit :limit) l
            join job j on j.id = l.id
            left join job_ready r on r.job_id = j.id
            order by since, j.id
            """)
        .bind("now", now)
        .bind("limit", limit)
        .map(row -> waiting(row, now))
        .list();
  }

  private static WaitingJob waiting(RowView row, Instant now) {
    return new WaitingJob(
        row.getColumn("id", Long.class),
        row.getColumn("name", String.class),
        row.getColumn("kind", JobKind.class),
        row.getColumn("pool", String.class),
        row.getColumn("since", Instant.class),
        Duration.between(row.getColumn("since", Instant.class), now),
        row.getColumn("reason", String.class));
  }
}
