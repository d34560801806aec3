package io.millrace.manager.task;

import java.util.Collection;
import java.util.Optional;
import org.jdbi.v3.core.Handle;

/** Rows of {@code task_run_workflow}. Stateless; runs in the caller's transaction. */
final class RunWorkflowDao {
  private RunWorkflowDao() {}

  static void insert(Handle handle, long run, long workflow) {
    handle
        .createUpdate(
            """
            insert into task_run_workflow (run_id, workflow_id)
            values (:run, :workflow)
            """)
        .bind("run", run)
        .bind("workflow", workflow)
        .execute();
  }

  /** The workflow that a run submitted. */
  static Optional<Long> find(Handle handle, long run) {
    return handle
        .createQuery("select workflow_id from task_run_workflow where run_id = :run")
        .bind("run", run)
        .mapTo(Long.class)
        .findOne();
  }

  /** Deletes those of these runs. */
  static void delete(Handle handle, Collection<Long> runs) {
    handle
        .createUpdate("delete from task_run_workflow where run_id in (<ids>)")
        .bindList("ids", runs)
        .execute();
  }
}
