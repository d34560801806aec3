package io.millrace.manager.job;

import java.util.List;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.PreparedBatch;

/** Rows of {@code job_run}: which jobs work for a run of a task. Stateless. */
public final class JobRunDao {
  private JobRunDao() {}

  /** Records that new jobs work for a run. */
  public static void insert(Handle handle, long run, List<Long> jobs) {
    PreparedBatch batch =
        handle.prepareBatch("insert into job_run (run_id, job_id) values (:run, :job)");
    jobs.forEach(job -> batch.bind("run", run).bind("job", job).add());
    if (!jobs.isEmpty()) {
      batch.execute();
    }
  }
}
