package io.millrace.manager.workflow;

import io.millrace.api.workflow.SubmissionOutcome;
import java.util.Optional;
import org.jdbi.v3.core.Handle;

/**
 * The table {@code workflow_submission}: the last submission of a workflow that began or resumed
 * it. Stateless; runs in the caller's transaction.
 */
final class WorkflowSubmissionDao {
  /** What the submission with that key did; empty if it is not the last one that did something. */
  Optional<SubmissionOutcome> outcome(Handle handle, long workflow, String key) {
    return handle
        .createQuery(
            """
            select outcome
            from workflow_submission
            where workflow_id = :workflow and key_hash = :key
            """)
        .bind("workflow", workflow)
        .bind("key", key)
        .map((row, context) -> SubmissionOutcome.valueOf(row.getString("outcome")))
        .findOne();
  }

  void remember(Handle handle, long workflow, String key, SubmissionOutcome outcome) {
    handle
        .createUpdate(
            """
            insert into workflow_submission (workflow_id, key_hash, outcome)
            values (:workflow, :key, :outcome)
            on duplicate key update key_hash = :key, outcome = :outcome
            """)
        .bind("workflow", workflow)
        .bind("key", key)
        .bind("outcome", outcome.name())
        .execute();
  }
}
