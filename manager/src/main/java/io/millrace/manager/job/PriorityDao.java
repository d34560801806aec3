package io.millrace.manager.job;

import java.util.List;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.PreparedBatch;

/** Changes the priorities of jobs. Stateless. */
public final class PriorityDao {
  /**
   * A job's new priority.
   *
   * @param job the job, locked
   * @param priority the new one
   * @param shape the shape of that priority
   */
  public record Priority(JobFacts job, int priority, long shape) {}

  /** Changes jobs, and moves those that are ready to another line. */
  public void change(Handle handle, List<Priority> changes) {
    PreparedBatch jobs =
        handle.prepareBatch(
            """
            update job
            set priority = :priority, shape_id = :shape
            where id = :id and state = :state
            """);
    PreparedBatch ready =
        handle.prepareBatch(
            """
            update job_ready
            set dispatch_rank = :dispatchRank, shape_id = :shape
            where job_id = :id
            """);
    for (Priority change : changes) {
      long id = change.job().id();
      jobs.bind("id", id)
          .bind("priority", change.priority())
          .bind("shape", change.shape())
          .bind("state", change.job().state().name())
          .add();
      ready
          .bind("id", id)
          .bind("dispatchRank", -change.priority())
          .bind("shape", change.shape())
          .add();
    }
    jobs.execute();
    ready.execute();
  }
}
