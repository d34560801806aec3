package io.millrace.manager.workflow;

import io.millrace.api.job.Outcome;
import io.millrace.manager.job.JobColumns;
import io.millrace.manager.workflow.TemplateBreaker.StepFailure;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import org.jdbi.v3.core.Handle;

/** Reads how steps failed, from the jobs that ran them. Stateless. */
final class StepFailureDao {
  /**
   * A step that failed.
   *
   * @param template name of its template
   */
  record FailedStep(int step, String template) {}

  /** The first steps of the current arrays of a workflow that failed, by rising job. */
  List<FailedStep> first(Handle handle, long workflow, int limit) {
    return handle
        .createQuery(
            """
            select j.array_index as step, t.name as template
            from workflow_template t
            join job j on j.array_id = t.array_id and j.kind = 'SUBMITTED' and j.state = 'FAILED'
            where t.workflow_id = :workflow and t.failed > 0
            order by j.id
            limit :limit
            """)
        .bind("workflow", workflow)
        .bind("limit", limit)
        .map((row, context) -> new FailedStep(row.getInt("step"), row.getString("template")))
        .list();
  }

  /**
   * How the failed elements of an array ended whose last attempts were placed since that time, the
   * newest attempts first. Looks at all that failed.
   */
  List<StepFailure> since(Handle handle, long array, Instant since, int limit) {
    return handle
        .createQuery(
            """
            select a.node_name, a.outcome, a.recorded_at
            from job j
            join attempt a on a.job_id = j.id and a.attempt_number = j.attempt_number
            where j.array_id = :array and j.kind = 'SUBMITTED' and j.state = 'FAILED'
                and a.recorded_at >= :since
            order by a.recorded_at desc
            limit :limit
            """)
        .bind("array", array)
        .bind("since", since)
        .bind("limit", limit)
        .map((row, context) -> failure(row))
        .list();
  }

  /** How the newest failed elements of an array ended. */
  List<StepFailure> newest(Handle handle, long array, int limit) {
    return handle
        .createQuery(
            """
            select j.node_name, a.outcome, a.recorded_at
            from job j
            left join attempt a on a.job_id = j.id and a.attempt_number = j.attempt_number
            where j.array_id = :array and j.kind = 'SUBMITTED' and j.state = 'FAILED'
            order by j.array_id desc, j.kind desc, j.state desc, j.id desc
            limit :limit
            """)
        .bind("array", array)
        .bind("limit", limit)
        .map((row, context) -> failure(row))
        .list();
  }

  private static StepFailure failure(ResultSet row) throws SQLException {
    String outcome = row.getString("outcome");
    return new StepFailure(
        outcome == null ? null : Outcome.valueOf(outcome),
        row.getString("node_name"),
        JobColumns.instant(row, "recorded_at"));
  }
}
