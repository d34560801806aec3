package io.millrace.manager.job;

import io.millrace.manager.job.JobColumns.Chunks;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.PreparedBatch;

/** The table {@code job_deadline}: deadlines still to be enforced. Stateless. */
public final class DeadlineDao {
  private static final int CHUNK = 1000;

  public void insert(Handle handle, Map<Long, Instant> deadlines) {
    if (deadlines.isEmpty()) {
      return;
    }
    PreparedBatch batch =
        handle.prepareBatch(
            """
            insert into job_deadline (job_id, deadline)
            values (:id, :deadline)
            """);
    deadlines.forEach((id, deadline) -> batch.bind("id", id).bind("deadline", deadline).add());
    batch.execute();
  }

  public void remove(Handle handle, Collection<Long> ids) {
    for (List<Long> chunk : Chunks.of(ids, CHUNK)) {
      handle
          .createUpdate("delete from job_deadline where job_id in (<ids>)")
          .bindList("ids", chunk)
          .execute();
    }
  }

  /** Jobs whose deadline has passed, the earliest first. */
  public List<Long> passed(Handle handle, Instant now, int limit) {
    return handle
        .createQuery(
            """
            select job_id
            from job_deadline
            where deadline <= :now
            order by deadline, job_id
            limit :limit
            """)
        .bind("now", now)
        .bind("limit", limit)
        .mapTo(Long.class)
        .list();
  }
}
