package io.millrace.manager.job;

import io.millrace.api.job.JobKind;
import io.millrace.api.job.JobState;
import io.millrace.manager.job.ElementBlockDao.DeletedBlocks;
import io.millrace.manager.job.JobTotalDao.Changes;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Objects;
import java.util.TreeSet;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.mapper.reflect.ConstructorMapper;
import org.jdbi.v3.core.statement.Query;

/**
 * Finds and deletes ended jobs whose retention has ended, and old attempts and histories of jobs
 * that are always restarted; the latter are listed in {@code job_restarting}, because they never
 * end. Stateless.
 */
public final class JobRetentionDao {
  private final LaneDao lanes = new LaneDao();
  private final JobTotalDao totals = new JobTotalDao();
  private final ElementBlockDao elements = new ElementBlockDao();
  private final ElementRunDao elementRuns = new ElementRunDao();

  private record EndedRow(long id, JobKind kind, JobState state, String queue, boolean isArray) {}

  /** The oldest successful workers of the queue. */
  public List<Long> oldestSuccessfulWorkers(Handle handle, String queue, int limit) {
    return handle
        .createQuery(
            // Ordered by constants as well, so that the index on all four columns is read in order.
            """
            select id
            from job
            where queue = :queue and kind = 'WORKER' and state = 'SUCCEEDED'
            order by queue, kind, state, id
            limit :limit
            """)
        .bind("queue", queue)
        .bind("limit", limit)
        .mapTo(Long.class)
        .list();
  }

  /** Jobs that ended before that time. */
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
   * Deletes ended jobs with their attempts, histories and the lanes that are empty then; a job that
   * is retried meanwhile is not touched. Returns how many were deleted.
   */
  public int delete(Handle handle, List<Long> ids) {
    if (ids.isEmpty()) {
      return 0;
    }
    // Lanes are locked before jobs, as everywhere.
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
            "delete from cancelled_dependent where job_id in (<ids>)",
            "delete from lane_entry where job_id in (<ids>)",
            "delete from job_deadline where job_id in (<ids>)",
            "delete from job_tag where job_id in (<ids>)",
            "delete from resource_adjustment where job_id in (<ids>)",
            "delete from job_run where job_id in (<ids>)",
            "delete from program_progress where job_id in (<ids>)",
            "delete from job where id in (<ids>)")) {
      handle.createUpdate(statement).bindList("ids", deleted).execute();
    }
    deleteArrays(handle, ended.stream().filter(EndedRow::isArray).map(EndedRow::id).toList());
    lanes.deleteIdle(handle, left);
    return deleted.size();
  }

  // Their own ids only: with all of them, a database would rather scan these smaller tables.
  private static void deleteArrays(Handle handle, List<Long> arrays) {
    if (!arrays.isEmpty()) {
      for (String statement :
          List.of(
              "delete from job_array where job_id in (<ids>)",
              "delete from array_usage where array_id in (<ids>)",
              "delete from array_run_time where array_id in (<ids>)")) {
        handle.createUpdate(statement).bindList("ids", arrays).execute();
      }
    }
  }

  /**
   * Deletes some of what is kept of the elements of those of the jobs that are ended arrays, which
   * must be all before they are deleted themselves.
   *
   * @return the elements that were deleted, and how many rows of at most the limit
   */
  DeletedBlocks deleteEndedElements(Handle handle, List<Long> ids, int limit) {
    if (ids.isEmpty()) {
      return DeletedBlocks.NONE;
    }
    lockLanes(handle, ids);
    DeletedBlocks deleted = DeletedBlocks.NONE;
    for (EndedRow job : lockEnded(handle, ids)) {
      if (job.isArray() && deleted.rows() < limit) {
        deleted = deleted.plus(deleteEndedElements(handle, job.id(), limit - deleted.rows()));
      }
    }
    return deleted;
  }

  /** Likewise of one array, whose own job the caller has locked. */
  DeletedBlocks deleteEndedElements(Handle handle, long array, int limit) {
    DeletedBlocks blocks = elements.deleteSome(handle, array, limit);
    Changes changes = new Changes();
    changes.add(JobKind.SUBMITTED, JobState.SUCCEEDED, null, -blocks.elements());
    totals.write(handle, changes);
    int rows = blocks.rows();
    rows += rows == limit ? 0 : elementRuns.deleteSome(handle, array, limit - rows);
    rows += rows == limit ? 0 : elements.deleteNodes(handle, array, limit - rows);
    return new DeletedBlocks(rows, blocks.elements());
  }

  /** Locks the lanes of jobs whose rows the caller is about to lock and delete. */
  public void lockLanes(Handle handle, List<Long> ids) {
    lanes.lock(handle, lanesOf(handle, ids));
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
        .map(ConstructorMapper.of(EndedRow.class))
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
      // Elements that were never created count as cancelled.
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

  private static final int JOBS = 20;
  private static final int ROWS = 100;
  private static final Duration TRIM_INTERVAL = Duration.ofHours(1);

  private record Row(long id, Instant at) {}

  private record Live(long id, JobState state, int attempt) {}

  /**
   * Deletes some attempts and history lines of jobs that are always restarted, if they are older
   * than that; the last attempt is kept.
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
        // If it is retried, its row is inserted again when it is placed.
        handle
            .createUpdate("delete from job_restarting where job_id = :id")
            .bind("id", job)
            .execute();
      } else if (trim(handle, job, found.attempt(), before)) {
        more = true;
      } else {
        handle
            .createUpdate("update job_restarting set trim_at = :next where job_id = :id")
            .bind("next", now.plus(TRIM_INTERVAL))
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
            select id, state, attempt_number as attempt
            from job
            where id in (<ids>)
            order by id
            for update
            """)
        .bindList("ids", List.copyOf(new TreeSet<>(due)))
        .map(ConstructorMapper.of(Live.class))
        .forEach(job -> live.put(job.id(), job));
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
                    limit :limit
                    """)
                .bind("limit", ROWS)
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
                    limit :limit
                    """)
                .bind("limit", ROWS)
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
    return oldest.map(ConstructorMapper.of(Row.class)).list().stream()
        .takeWhile(row -> row.at() != null && row.at().isBefore(before))
        .map(Row::id)
        .toList();
  }
}
