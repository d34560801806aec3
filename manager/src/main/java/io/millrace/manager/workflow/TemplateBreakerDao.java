package io.millrace.manager.workflow;

import io.millrace.manager.job.JobColumns;
import io.millrace.manager.workflow.TemplateBreaker.Ends;
import io.millrace.manager.workflow.TemplateBreaker.State;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Handle;

/**
 * The table {@code workflow_breaker}. Stateless; runs in the caller's transaction.
 *
 * <p>Its column {@code array_id} has the negative epoch. Servers of earlier versions wrote the
 * array whose elements they counted: whoever finds the other's value counts anew.
 */
final class TemplateBreakerDao {
  private static final int LONGEST_REASON = 1000;

  /** A breaker that is not closed. */
  record BreakerRow(long workflow, int template, TemplateBreaker breaker) {}

  /** Those of a workflow, by number of the template. */
  Map<Integer, TemplateBreaker> of(Handle handle, long workflow) {
    Map<Integer, TemplateBreaker> found = new HashMap<>();
    handle
        .createQuery("select * from workflow_breaker where workflow_id = :workflow")
        .bind("workflow", workflow)
        .map((row, context) -> row(row))
        .forEach(row -> found.put(row.template(), row.breaker()));
    return found;
  }

  /** Those in a state of workflows that run, by rising workflow. */
  List<BreakerRow> in(Handle handle, State state, int limit) {
    return handle
        .createQuery(
            """
            select b.*
            from workflow_breaker b
            join workflow w on w.id = b.workflow_id and w.state = 'RUNNING'
            where b.state = :state
            order by b.state, b.workflow_id
            limit :limit
            """)
        .bind("state", state.name())
        .bind("limit", limit)
        .map((row, context) -> row(row))
        .list();
  }

  void write(Handle handle, long workflow, int template, TemplateBreaker breaker) {
    handle
        .createUpdate(
            """
            insert into workflow_breaker (workflow_id, template, array_id, state, reason, since_at,
                succeeded_seen, failed_seen, recent)
            values (:workflow, :template, :epoch, :state, :reason, :since, :succeeded, :failed,
                :recent)
            on duplicate key update array_id = :epoch, state = :state, reason = :reason,
                since_at = :since, succeeded_seen = :succeeded, failed_seen = :failed,
                recent = :recent
            """)
        .bind("workflow", workflow)
        .bind("template", template)
        .bind("epoch", -(long) breaker.epoch())
        .bind("state", breaker.state().name())
        .bind("reason", shortened(breaker.reason()))
        .bind("since", breaker.since())
        .bind("succeeded", breaker.succeeded())
        .bind("failed", breaker.failed())
        .bind("recent", text(breaker.recent()))
        .execute();
  }

  private static String shortened(String reason) {
    return reason == null || reason.length() <= LONGEST_REASON
        ? reason
        : reason.substring(0, LONGEST_REASON);
  }

  private static String text(List<Ends> ends) {
    return ends.stream()
        .map(one -> one.succeeded() + ":" + one.failed())
        .collect(Collectors.joining(","));
  }

  private static List<Ends> ends(String text) {
    List<Ends> ends = new ArrayList<>();
    if (!text.isEmpty()) {
      for (String one : text.split(",", -1)) {
        int colon = one.indexOf(':');
        ends.add(
            new Ends(
                Integer.parseInt(one.substring(0, colon)),
                Integer.parseInt(one.substring(colon + 1))));
      }
    }
    return ends;
  }

  // No workflow is in epoch 0.
  private static int epoch(long stored) {
    return stored < 0 ? Math.toIntExact(-stored) : 0;
  }

  private static BreakerRow row(ResultSet row) throws SQLException {
    return new BreakerRow(
        row.getLong("workflow_id"),
        row.getInt("template"),
        new TemplateBreaker(
            epoch(row.getLong("array_id")),
            State.valueOf(row.getString("state")),
            row.getString("reason"),
            JobColumns.instant(row, "since_at"),
            row.getInt("succeeded_seen"),
            row.getInt("failed_seen"),
            ends(row.getString("recent"))));
  }
}
