package io.millrace.manager.job;

import io.millrace.api.job.JobState;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.PreparedBatch;
import org.jdbi.v3.core.statement.Query;

/**
 * Jobs that are restarted for ever: they never end, but their old attempts and history lines are
 * deleted. They have a table of their own, so that nobody looks for them among all jobs. Stateless.
 */
public final class RestartingDao {
  private static final int JOBS = 20;
  private static final int ROWS = 100;
  private static final Duration BETWEEN_LOOKS = Duration.ofHours(1);

  private record Row(long id, Instant at) {}

  private record Live(JobState state, int attempt) {}

  /** Notes jobs that got a place, unless they are noted already. */
  public void note(Handle handle, Collection<Long> jobs, Instant now) {
    if (jobs.isEmpty()) {
      return;
    }
    PreparedBatch batch =
        handle.prepareBatch(
            """
            insert ignore into job_restarting (job_id, trim_at)
            values (:id, :now)
            """);
    jobs.forEach(id -> batch.bind("id", id).bind("now", now).add());
    batch.execute();
  }

  /**
   * Deletes some of what is older than that; the last attempt stays.
   *
   * @return whether there may be more
   */
  public boolean trimSome(Handle handle, Instant now, Duration keep) {
    List<Long> due =
        handle
            .createQuery(
                """
                select job_id
                from job_restarting
                where trim_at <= :now
                order by trim_at, job_id
                limit :limit
                """)
            .bind("now", now)
            .bind("limit", JOBS)
            .mapTo(Long.class)
            .list();
    if (due.isEmpty()) {
      return false;
    }
    Map<Long, Live> live = lock(handle, due);
    Instant before = now.minus(keep);
    boolean more = due.size() == JOBS;
    for (long job : due) {
      Live found = live.get(job);
      if (found == null || found.state().ended()) {
        // If it is retried, it is noted again when it gets a place.
        handle
            .createUpdate("delete from job_restarting where job_id = :id")
            .bind("id", job)
            .execute();
      } else if (trim(handle, job, found.attempt(), before)) {
        more = true;
      } else {
        handle
            .createUpdate("update job_restarting set trim_at = :next where job_id = :id")
            .bind("next", now.plus(BETWEEN_LOOKS))
            .bind("id", job)
            .execute();
      }
    }
    return more;
  }

  private static Map<Long, Live> lock(Handle handle, List<Long> due) {
    Map<Long, Live> live = new HashMap<>();
    handle
        .createQuery(
            """
            select id, state, attempt_number
            from job
            where id in (<ids>)
            order by id
            for update
            """)
        .bindList("ids", List.copyOf(new TreeSet<>(due)))
        .map(
            (row, context) ->
                Map.entry(
                    row.getLong("id"),
                    new Live(
                        JobState.valueOf(row.getString("state")), row.getInt("attempt_number"))))
        .forEach(entry -> live.put(entry.getKey(), entry.getValue()));
    return live;
  }

  private static boolean trim(Handle handle, long job, int last, Instant before) {
    boolean attempts = trimAttempts(handle, job, last, before);
    boolean history = trimHistory(handle, job, before);
    return attempts || history;
  }

  private static boolean trimAttempts(Handle handle, long job, int last, Instant before) {
    List<Long> old =
        old(
            handle
                .createQuery(
                    """
                    select attempt_number as id, ended_at as at
                    from attempt
                    where job_id = :job and attempt_number < :last
                    order by job_id, attempt_number
                    limit
                    """
                        + ROWS)
                .bind("job", job)
                .bind("last", last),
            before);
    if (!old.isEmpty()) {
      handle
          .createUpdate(
              """
              delete from attempt
              where job_id = :job and attempt_number in (<old>)
              """)
          .bind("job", job)
          .bindList("old", old)
          .execute();
    }
    return old.size() == ROWS;
  }

  private static boolean trimHistory(Handle handle, long job, Instant before) {
    List<Long> old =
        old(
            handle
                .createQuery(
                    """
                    select id, happened_at as at
                    from job_event
                    where job_id = :job
                    order by job_id, id
                    limit
                    """
                        + ROWS)
                .bind("job", job),
            before);
    if (!old.isEmpty()) {
      handle
          .createUpdate("delete from job_event where id in (<old>)")
          .bindList("old", old)
          .execute();
    }
    return old.size() == ROWS;
  }

  /** The oldest rows up to the first that is kept. */
  private static List<Long> old(Query oldest, Instant before) {
    return oldest
        .map((row, context) -> new Row(row.getLong("id"), JobColumns.instant(row, "at")))
        .list()
        .stream()
        .takeWhile(row -> row.at() != null && row.at().isBefore(before))
        .map(Row::id)
        .toList();
  }
}
