package io.millrace.manager.job;

import io.millrace.api.job.JobKind;
import io.millrace.api.job.JobState;
import io.millrace.manager.job.JobTotalDao.Changes;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableSet;
import java.util.Objects;
import java.util.TreeSet;
import org.jdbi.v3.core.Handle;

/** Finds and deletes ended jobs that are not kept any longer. Stateless. */
public final class JobRetentionDao {
  private final LaneDao lanes = new LaneDao();
  private final JobTotalDao totals = new JobTotalDao();

  private record EndedRow(long id, JobKind kind, JobState state, String queue, boolean isArray) {}

  /** The oldest successful workers of the queue. */
  public List<Long> oldestSuccessfulWorkers(Handle handle, String queue, int limit) {
    return handle
        .createQuery(
            // Ordered by constants as well, because only then the index of all four is read in
            // order.
            """
            select id
            from job
            where queue = :queue and kind = 'WORKER' and state = 'SUCCEEDED'
            order by queue, kind, state, id
            limit :limit""")
        .bind("queue", queue)
        .bind("limit", limit)
        .mapTo(Long.class)
        .list();
  }

  /** Jobs that ended before. */
  public List<Long> endedBefore(Handle handle, Instant before, int limit) {
    return handle
        .createQuery(
            """
            select id
            from job
            where ended_at < :before and state in ('SUCCEEDED', 'FAILED', 'CANCELLED')
            order by ended_at
            limit :limit
            """)
        .bind("before", before)
        .bind("limit", limit)
        .mapTo(Long.class)
        .list();
  }

  /**
   * Deletes ended jobs with their attempts, histories and lanes that nobody is in any more; a job
   * revived meanwhile stays whole. Returns how many were deleted.
   */
  public int delete(Handle handle, List<Long> ids) {
    if (ids.isEmpty()) {
      return 0;
    }
    // Lanes before jobs, like everybody.
    NavigableSet<String> left = lanesOf(handle, ids);
    lanes.lock(handle, left);
    List<EndedRow> ended = lockEnded(handle, ids);
    if (ended.isEmpty()) {
      return 0;
    }
    count(handle, ended);
    List<Long> deleted = ended.stream().map(EndedRow::id).toList();
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
      handle.createUpdate(statement).bindList("ids", deleted).execute();
    }
    lanes.deleteIdle(handle, left);
    return deleted.size();
  }

  private static NavigableSet<String> lanesOf(Handle handle, List<Long> ids) {
    NavigableSet<String> lanes = new TreeSet<>();
    handle
        .createQuery("select lane from job where id in (<ids>)")
        .bindList("ids", ids)
        .mapTo(String.class)
        .stream()
        .filter(Objects::nonNull)
        .forEach(lanes::add);
    return lanes;
  }

  private static List<EndedRow> lockEnded(Handle handle, List<Long> ids) {
    return handle
        .createQuery(
            """
            select id, kind, state, queue, is_array
            from job
            where id in (<ids>) and state in ('SUCCEEDED', 'FAILED', 'CANCELLED')
            order by id
            for update
            """)
        .bindList("ids", ids)
        .map(
            (row, context) ->
                new EndedRow(
                    row.getLong("id"),
                    JobKind.valueOf(row.getString("kind")),
                    JobState.valueOf(row.getString("state")),
                    row.getString("queue"),
                    row.getBoolean("is_array")))
        .list();
  }

  private void count(Handle handle, List<EndedRow> ended) {
    Changes changes = new Changes();
    List<Long> arrays = new ArrayList<>();
    for (EndedRow job : ended) {
      if (job.isArray()) {
        arrays.add(job.id());
      } else {
        changes.add(job.kind(), job.state(), job.queue(), -1);
      }
    }
    if (!arrays.isEmpty()) {
      // What an array never created counts as cancelled.
      long skipped =
          handle
              .createQuery(
                  """
                  select coalesce(sum(skipped), 0)
                  from job_array
                  where job_id in (<ids>)
                  """)
              .bindList("ids", arrays)
              .mapTo(Long.class)
              .one();
      changes.add(JobKind.SUBMITTED, JobState.CANCELLED, null, -skipped);
    }
    totals.write(handle, changes);
  }
}
