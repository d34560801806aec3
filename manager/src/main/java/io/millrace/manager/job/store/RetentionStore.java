package io.millrace.manager.job.store;

import java.time.Instant;
import java.util.List;
import org.jdbi.v3.core.Handle;

/** Finds and deletes ended jobs that are not kept any longer. Stateless. */
public final class RetentionStore {
  /** Queues that have a successful worker. */
  public List<String> queuesWithWorkers(Handle handle) {
    return handle.createQuery("select distinct queue from worker_total").mapTo(String.class).list();
  }

  /** Successful workers of the queue beyond the newest ones. */
  public List<Long> oldSuccessfulWorkers(Handle handle, String queue, int kept, int limit) {
    return handle
        .createQuery(
            "select id from job where queue = :queue and kind = 'WORKER' and state = 'SUCCEEDED'"
                + " order by id desc limit :limit offset :kept")
        .bind("queue", queue)
        .bind("limit", limit)
        .bind("kept", kept)
        .mapTo(Long.class)
        .list();
  }

  /** Jobs that ended before. */
  public List<Long> endedBefore(Handle handle, Instant before, int limit) {
    return handle
        .createQuery(
            "select id from job where ended_at < :before and state in ('SUCCEEDED', 'FAILED',"
                + " 'CANCELLED') order by ended_at limit :limit")
        .bind("before", before)
        .bind("limit", limit)
        .mapTo(Long.class)
        .list();
  }

  /** Deletes ended jobs with their attempts and histories; a job revived meanwhile stays whole. */
  public int delete(Handle handle, List<Long> ids) {
    if (ids.isEmpty()) {
      return 0;
    }
    List<Long> ended =
        handle
            .createQuery(
                "select id from job where id in (<ids>) and state in ('SUCCEEDED', 'FAILED',"
                    + " 'CANCELLED') order by id for update")
            .bindList("ids", ids)
            .mapTo(Long.class)
            .list();
    if (ended.isEmpty()) {
      return 0;
    }
    for (String statement :
        List.of(
            "delete from attempt where job_id in (<ids>)",
            "delete from job_event where job_id in (<ids>)",
            "delete from job_dependency where job_id in (<ids>)",
            "delete from lane_entry where job_id in (<ids>)",
            "delete from job_deadline where job_id in (<ids>)",
            "delete from job_tag where job_id in (<ids>)",
            "delete from job_array where job_id in (<ids>)",
            "delete from job where id in (<ids>)")) {
      handle.createUpdate(statement).bindList("ids", ended).execute();
    }
    return ended.size();
  }

  /** Removes attempts and history lines, older than that, of jobs that are restarted for ever. */
  public void trimLiveJobs(Handle handle, Instant before) {
    for (String statement :
        List.of(
            "delete from attempt where ended_at < :before and job_id in (select id from job where"
                + " restarts = true and state in ('WAITING', 'PLACED', 'RUNNING'))",
            "delete from job_event where happened_at < :before and job_id in (select id from job"
                + " where restarts = true and state in ('WAITING', 'PLACED', 'RUNNING'))")) {
      handle.createUpdate(statement).bind("before", before).execute();
    }
  }
}
