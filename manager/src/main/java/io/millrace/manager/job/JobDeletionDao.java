package io.millrace.manager.job;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jdbi.v3.core.Handle;

/** What decides whether an ended job may be deleted. Stateless; in the caller's transaction. */
public final class JobDeletionDao {
  private JobDeletionDao() {}

  /**
   * Those of the jobs that belong to a run of a task that has not ended, which still counts them.
   */
  public static Set<Long> ofOpenRuns(Handle handle, List<Long> ids) {
    return new HashSet<>(
        handle
            .createQuery(
                """
                select j.job_id
                from job_run j
                join task_run r on r.id = j.run_id
                where j.job_id in (<ids>) and r.state in ('QUEUED', 'RUNNING')
                """)
            .bindList("ids", ids)
            .mapTo(Long.class)
            .list());
  }

  /** Whether the array and all its elements have ended; false if it does not exist. */
  public static boolean arrayIsOver(Handle handle, long array) {
    return handle
        .createQuery(
            """
            select a.job_id
            from job_array a
            join job j on j.id = a.job_id
            where a.job_id = :array and a.settled = true
                and j.state in ('SUCCEEDED', 'FAILED', 'CANCELLED')
            """)
        .bind("array", array)
        .mapTo(Long.class)
        .findOne()
        .isPresent();
  }

  /** Whether there is a job of that id. */
  public static boolean exists(Handle handle, long id) {
    return handle
        .createQuery("select id from job where id = :id")
        .bind("id", id)
        .mapTo(Long.class)
        .findOne()
        .isPresent();
  }

  /** Some elements of an array. */
  public static List<Long> elements(Handle handle, long array, int limit) {
    return handle
        .createQuery(
            """
            select id
            from job
            where array_id = :array
            limit :limit
            """)
        .bind("array", array)
        .bind("limit", limit)
        .mapTo(Long.class)
        .list();
  }
}
