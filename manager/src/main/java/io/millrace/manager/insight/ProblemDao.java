package io.millrace.manager.insight;

import io.millrace.api.job.JobKind;
import io.millrace.manager.insight.JobProblems.WaitingJob;
import io.millrace.manager.job.JobColumns.ReasonColumn;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.List;
import org.jdbi.v3.core.Handle;

/**
 * Reads what the problems list tells. Every statement goes along an index of few rows or stops
 * early, whatever the number of waiting jobs. Stateless.
 */
public final class ProblemDao {
  /** A waiting job with its deadline. */
  public record Due(WaitingJob job, Instant deadline) {}

  /** Single instances, queue managers among them, that could have started before a moment. */
  public List<WaitingJob> overdueSingles(Handle handle, Instant now, Instant before, int limit) {
    return handle
        .createQuery(
            // The unique index on names holds those of living jobs only.
            "select j.id, j.name, j.kind, "
                + ReasonColumn.SQL
                + ", r.ready_at as since from job j join job_ready r"
                + " on r.job_id = j.id where j.single_name >= '' and j.state = 'WAITING' and"
                + " r.ready_at < :before order by r.ready_at limit :limit")
        .bind("before", before)
        .bind("limit", limit)
        .map((row, context) -> waiting(row, now))
        .list();
  }

  /** Jobs that have not started and whose deadline is before a moment, the nearest first. */
  public List<Due> deadlines(Handle handle, Instant now, Instant before, int limit) {
    return handle
        .createQuery(
            "select j.id, j.name, j.kind, "
                + ReasonColumn.SQL
                + ", j.submitted_at as since, d.deadline as until"
                + " from job_deadline d join job j on j.id = d.job_id where d.deadline < :before"
                + " and j.state in ('WAITING', 'BLOCKED', 'HELD') order by d.deadline, d.job_id"
                + " limit :limit")
        .bind("before", before)
        .bind("limit", limit)
        .map((row, context) -> new Due(waiting(row, now), instant(row, "until")))
        .list();
  }

  /** Jobs that are late by their own word, and have not started yet. */
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
        .map((row, context) -> waiting(row, now))
        .list();
  }

  private static WaitingJob waiting(ResultSet row, Instant now) throws SQLException {
    return new WaitingJob(
        row.getLong("id"),
        row.getString("name"),
        JobKind.valueOf(row.getString("kind")),
        Duration.between(instant(row, "since"), now),
        row.getString("reason"));
  }

  private static Instant instant(ResultSet row, String column) throws SQLException {
    return row.getObject(column, LocalDateTime.class).toInstant(ZoneOffset.UTC);
  }
}
