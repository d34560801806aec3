package io.millrace.manager.job;

import io.millrace.api.insight.FailureGroups.FailureSample;
import io.millrace.api.job.Outcome;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;
import org.jdbi.v3.core.Handle;

/** Reads how failed jobs ended. Stateless. */
final class FailureDao {
  /**
   * A failed job.
   *
   * @param cause why
   * @param sample with what its last attempt wrote
   */
  record FailedJob(FailureText.Cause cause, FailureSample sample) {
    /** The index of an element. */
    long index() {
      String item = sample.item();
      return Long.parseLong(item.substring(item.indexOf('[') + 1, item.length() - 1));
    }

    /** The sample of an element, named by its index alone. */
    FailureSample byIndex() {
      return new FailureSample(
          Long.toString(index()),
          sample.job(),
          sample.attempt(),
          sample.node(),
          sample.at(),
          sample.text());
    }
  }

  /** Those of the jobs that failed themselves, newest first; arrays are their elements. */
  List<FailedJob> failed(Handle handle, Collection<Long> ids) {
    if (ids.isEmpty()) {
      return List.of();
    }
    return handle
        .createQuery(
            """
            select j.id, j.array_id, j.array_index, j.reason, j.ended_at, j.attempt_number,
                j.node_name, a.outcome, a.exit_code, a.signal_number, a.reason as attempt_reason,
                a.stderr_tail
            from job j
            left join attempt a on a.job_id = j.id and a.attempt_number = j.attempt_number
            where j.id in (<ids>) and j.state = 'FAILED' and j.is_array = false
            order by j.id desc
            """)
        .bindList("ids", ids)
        .map((row, context) -> failed(row))
        .list();
  }

  /** Ids of the failed elements of an array below an id, newest first. */
  List<Long> elements(Handle handle, long array, long before, int limit) {
    return handle
        .createQuery(
            """
            select id
            from job
            where array_id = :array and kind = 'SUBMITTED' and state = 'FAILED' and id < :before
            order by array_id desc, kind desc, state desc, id desc
            limit :limit
            """)
        .bind("array", array)
        .bind("before", before)
        .bind("limit", limit)
        .mapTo(Long.class)
        .list();
  }

  private static FailedJob failed(ResultSet row) throws SQLException {
    long id = row.getLong("id");
    int attempt = row.getInt("attempt_number");
    Outcome outcome = JobColumns.outcome(row);
    String errors = row.getString("stderr_tail");
    String attemptReason = row.getString("attempt_reason");
    String reason = attemptReason == null ? row.getString("reason") : attemptReason;
    Long array = JobColumns.number(row, "array_id");
    String item =
        array == null ? Long.toString(id) : array + "[" + row.getLong("array_index") + "]";
    return new FailedJob(
        FailureText.of(
            outcome,
            JobColumns.integer(row, "exit_code"),
            JobColumns.integer(row, "signal_number"),
            reason,
            errors),
        new FailureSample(
            item,
            id,
            attempt == 0 ? null : attempt,
            row.getString("node_name"),
            JobColumns.instant(row, "ended_at"),
            errors == null ? reason : errors));
  }
}
