package io.millrace.manager.insight;

import io.millrace.api.job.JobKind;
import io.millrace.manager.insight.JobProblems.WaitingJob;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.result.RowView;

/**
 * Reads what the list of problems shows. Every statement reads few rows of an index or stops early,
 * however many jobs wait. Stateless.
 */
public final class ProblemDao {
  /** A waiting job with its deadline. */
  public record Due(WaitingJob job, Instant deadline) {}

  /** Single instances, including queue managers, that could have started before a moment. */
  public List<WaitingJob> overdueSingles(Handle handle, Instant now, Instant before, int limit) {
    return handle
        .createQuery(
            // The unique index on names contains those of live jobs only.
            """
            select j.id, j.name, j.kind,
                coalesce(j.reason, case when j.state = 'WAITING' then (
                    select w.words
                    from shape_wait w
                    where w.shape_id = j.shape_id and w.ended_at is null
                    limit 1) end) as reason,
                r.ready_at as since
            from job j
            join job_ready r on r.job_id = j.id
            where j.single_name >= '' and j.state = 'WAITING' and r.ready_at < :before
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
            select j.id, j.name, j.kind,
                coalesce(j.reason, case when j.state = 'WAITING' then (
                    select w.words
                    from shape_wait w
                    where w.shape_id = j.shape_id and w.ended_at is null
                    limit 1) end) as reason,
                j.submitted_at as since, d.deadline
            from job_deadline d
            join job j on j.id = d.job_id
            where d.deadline < :before and j.state in ('WAITING', 'BLOCKED', 'HELD')
            order by d.deadline, d.job_id
            limit :limit
            """)
        .bind("before", before)
        .bind("limit", limit)
        .map(row -> new Due(waiting(row, now), row.getColumn("deadline", Instant.class)))
        .list();
  }

  /** Jobs that are late by their own notification settings and have not started yet. */
  public List<WaitingJob> late(Handle handle, Instant now, int limit) {
    return handle
        .createQuery(
            """
            select j.id, j.name, j.kind, j.reason, j.submitted_at as since
            from notice n
            join job j on j.id = n.job_id
            where n.occasion = 'LATE' and n.due_at <= :now
                and j.state in ('WAITING', 'BLOCKED', 'HELD')
            group by j.id, j.name, j.kind, j.reason, j.submitted_at
            order by j.submitted_at, j.id
            limit :limit
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
        Duration.between(row.getColumn("since", Instant.class), now),
        row.getColumn("reason", String.class));
  }
}
