package io.millrace.manager.job;

import io.millrace.api.job.ArrayRange;
import io.millrace.api.job.JobKind;
import io.millrace.api.job.JobState;
import io.millrace.manager.job.ArrayRow.PendingRetry;
import io.millrace.manager.job.JobTotalDao.Changes;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.PreparedBatch;

/** The table {@code job_array}. Stateless. */
public final class ArrayDao {
  private final JobTotalDao totals = new JobTotalDao();

  /**
   * How many elements of one array entered each ended state in a transaction; negative for those
   * that are retried.
   *
   * @param succeeded additional succeeded elements
   * @param failed additional failed elements
   * @param cancelled additional cancelled elements
   */
  public record Sums(long succeeded, long failed, long cancelled) {
    public static final Sums NONE = new Sums(0, 0, 0);

    /** The sum of both. */
    public Sums plus(Sums other) {
      return new Sums(
          succeeded + other.succeeded, failed + other.failed, cancelled + other.cancelled);
    }

    /** With that many more elements in that ended state, fewer if negative. */
    public Sums plus(JobState ended, long count) {
      return switch (ended) {
        case SUCCEEDED -> new Sums(succeeded + count, failed, cancelled);
        case FAILED -> new Sums(succeeded, failed + count, cancelled);
        case CANCELLED -> new Sums(succeeded, failed, cancelled + count);
        default -> throw new IllegalArgumentException("not an end: " + ended);
      };
    }
  }

  public void insert(Handle handle, long job, String pool, ArrayRange range, Instant now) {
    handle
        .createUpdate(
            """
            insert into job_array (job_id, pool, first_index, last_index, step_width,
                most_at_once, next_index, skipped, succeeded, failed, cancelled,
                again_cancelled, hungry, settled, fed_at)
            values (:id, :pool, :first, :last, :step, :limit, :first, 0, 0, 0, 0, false, true,
                false, :now)
            """)
        .bind("id", job)
        .bind("pool", pool)
        .bind("first", range.first())
        .bind("last", range.last())
        .bind("step", range.step())
        .bind("limit", range.limit())
        .bind("now", now)
        .execute();
  }

  /** Pools with an array that may have elements to start. */
  public List<String> expandablePools(Handle handle) {
    return handle
        .createQuery("select distinct pool from job_array where hungry = true")
        .mapTo(String.class)
        .list();
  }

  /**
   * The place of an array among those of its pool, in the order of their turns.
   *
   * @param fedAt when it was expanded last
   * @param array its id
   */
  public record ArrayTurn(Instant fedAt, long array) {
    /** Before all others. */
    public static final ArrayTurn FIRST = new ArrayTurn(Instant.EPOCH, 0);
  }

  /**
   * Arrays of the pool that may be expanded now, those expanded longest ago first.
   *
   * @param after only those after this place
   */
  public List<ArrayTurn> expandable(
      Handle handle, String pool, Instant now, ArrayTurn after, int limit) {
    return handle
        .createQuery(
            """
            select a.fed_at, a.job_id
            from job_array a
            join job j on j.id = a.job_id
            where a.hungry = true and a.pool = :pool and a.fed_at >= :fedAt
                and (a.fed_at > :fedAt or a.job_id > :array)
                and j.state in ('WAITING', 'RUNNING')
                and j.held = false and j.cancel_reason is null
                and (j.not_before is null or j.not_before <= :now)
            order by a.fed_at, a.job_id
            limit :limit
            """)
        .bind("pool", pool)
        .bind("fedAt", after.fedAt())
        .bind("array", after.array())
        .bind("now", now)
        .bind("limit", limit)
        .map(
            (row, context) ->
                new ArrayTurn(JobColumns.instant(row, "fed_at"), row.getLong("job_id")))
        .list();
  }

  /** Arrays of which the array itself or an element has not ended, by rising id. */
  public List<ArrayRow> unfinished(Handle handle, long after, int limit) {
    return handle
        .createQuery(
            """
            select *
            from job_array
            where settled = false and job_id > :after
            order by job_id
            limit :limit
            """)
        .bind("after", after)
        .bind("limit", limit)
        .map((row, context) -> row(row))
        .list();
  }

  /** Those of the arrays that are unfinished. */
  public List<Long> unfinished(Handle handle, Collection<Long> ids) {
    if (ids.isEmpty()) {
      return List.of();
    }
    return handle
        .createQuery(
            """
            select job_id
            from job_array
            where job_id in (<ids>) and settled = false
            """)
        .bindList("ids", List.copyOf(ids))
        .mapTo(Long.class)
        .list();
  }

  /** Rows by id, not locked. */
  public Map<Long, ArrayRow> read(Handle handle, Collection<Long> ids) {
    return rows(
        handle,
        """
        select *
        from job_array
        where job_id in (<ids>)
        order by job_id
        """,
        ids);
  }

  /** Locks rows by rising id; the caller holds the locks of all jobs that it will need. */
  public Map<Long, ArrayRow> lock(Handle handle, Collection<Long> ids) {
    return rows(
        handle,
        """
        select *
        from job_array
        where job_id in (<ids>)
        order by job_id
        for update
        """,
        ids);
  }

  private static Map<Long, ArrayRow> rows(Handle handle, String query, Collection<Long> ids) {
    Map<Long, ArrayRow> rows = new TreeMap<>();
    if (!ids.isEmpty()) {
      handle
          .createQuery(query)
          .bindList("ids", List.copyOf(ids))
          .map((row, context) -> row(row))
          .forEach(row -> rows.put(row.job(), row));
    }
    return rows;
  }

  /** Moves the cursors of arrays whose own jobs the caller has locked. */
  public void expanded(Handle handle, Collection<ArrayRow> rows, Instant now) {
    if (rows.isEmpty()) {
      return;
    }
    PreparedBatch batch =
        handle.prepareBatch(
            """
            update job_array
            set next_index = :next, hungry = :hungry, fed_at = :now
            where job_id = :id
            """);
    rows.stream()
        .sorted(Comparator.comparingLong(ArrayRow::job))
        .forEach(
            row ->
                batch
                    .bind("next", row.next())
                    .bind("hungry", row.expandable())
                    .bind("now", now)
                    .bind("id", row.job())
                    .add());
    batch.execute();
  }

  /** Records how far a retry in progress is; null when it is complete. */
  public void retried(Handle handle, long job, PendingRetry rest) {
    handle
        .createUpdate(
            """
            update job_array
            set again_after = :after, again_up_to = :upTo, hungry = true
            where job_id = :id
            """)
        .bind("after", rest == null ? null : rest.after())
        .bind("upTo", rest == null ? null : rest.upTo())
        .bind("id", job)
        .execute();
  }

  /** Adds sums, one update for each array, by rising id so that transactions do not deadlock. */
  public void add(Handle handle, Map<Long, Sums> sums) {
    if (sums.isEmpty()) {
      return;
    }
    PreparedBatch batch =
        handle.prepareBatch(
            """
            update job_array
            set succeeded = succeeded + :succeeded, failed = failed + :failed,
                cancelled = cancelled + :cancelled
            where job_id = :id
            """);
    new TreeMap<>(sums)
        .forEach(
            (id, sum) ->
                batch
                    .bind("succeeded", sum.succeeded())
                    .bind("failed", sum.failed())
                    .bind("cancelled", sum.cancelled())
                    .bind("id", id)
                    .add());
    batch.execute();
  }

  /** Marks arrays as expandable, also those that had ended. */
  public void markExpandable(Handle handle, Collection<Long> ids) {
    if (!ids.isEmpty()) {
      handle
          .createUpdate(
              """
              update job_array
              set hungry = true, settled = false
              where job_id in (<ids>)
              """)
          .bindList("ids", List.copyOf(ids))
          .execute();
    }
  }

  /** Stops creating and retrying elements. */
  public void stop(Handle handle, long job, JobState endsAs) {
    long before = skipped(handle, job);
    handle
        .createUpdate(
            """
            update job_array
            set ends_as = :endsAs,
                skipped = case
                    when next_index > last_index then 0
                    else floor((last_index - next_index) / step_width) + 1 end,
                hungry = false, again_after = null, again_up_to = null
            where job_id = :id
            """)
        .bind("endsAs", endsAs == null ? null : endsAs.name())
        .bind("id", job)
        .execute();
    count(handle, skipped(handle, job) - before);
  }

  /**
   * Continues creating elements and retries ended ones.
   *
   * @param retry which elements to retry; null for none
   */
  public void resume(Handle handle, long job, PendingRetry retry) {
    count(handle, -skipped(handle, job));
    handle
        .createUpdate(
            """
            update job_array
            set ends_as = null, skipped = 0, hungry = true, settled = false,
                again_after = :after, again_up_to = :upTo, again_cancelled = :cancelledToo
            where job_id = :id
            """)
        .bind("after", retry == null ? null : retry.after())
        .bind("upTo", retry == null ? null : retry.upTo())
        .bind("cancelledToo", retry != null && retry.includesCancelled())
        .bind("id", job)
        .execute();
  }

  /** Records that an ended array continues for retried elements, without creating any. */
  public void revived(Handle handle, long job, JobState endsAs) {
    handle
        .createUpdate("update job_array set ends_as = :endsAs where job_id = :id")
        .bind("endsAs", endsAs == null ? null : endsAs.name())
        .bind("id", job)
        .execute();
  }

  /** Records that the array and all its elements have ended. */
  public void finish(Handle handle, long job) {
    handle
        .createUpdate(
            """
            update job_array
            set settled = true, hungry = false
            where job_id = :id
            """)
        .bind("id", job)
        .execute();
  }

  private static long skipped(Handle handle, long job) {
    return handle
        .createQuery("select skipped from job_array where job_id = :id for update")
        .bind("id", job)
        .mapTo(Long.class)
        .findOne()
        .orElse(0L);
  }

  // Elements that will never have a job count as cancelled.
  private void count(Handle handle, long skipped) {
    Changes changes = new Changes();
    changes.add(JobKind.SUBMITTED, JobState.CANCELLED, null, skipped);
    totals.write(handle, changes);
  }

  private static ArrayRow row(ResultSet row) throws SQLException {
    long after = row.getLong("again_after");
    PendingRetry retry =
        row.wasNull()
            ? null
            : new PendingRetry(
                after, row.getLong("again_up_to"), row.getBoolean("again_cancelled"));
    String endsAs = row.getString("ends_as");
    return new ArrayRow(
        row.getLong("job_id"),
        row.getString("pool"),
        new ArrayRange(
            row.getLong("first_index"),
            row.getLong("last_index"),
            row.getLong("step_width"),
            row.getInt("most_at_once")),
        row.getLong("next_index"),
        row.getLong("skipped"),
        row.getLong("succeeded"),
        row.getLong("failed"),
        row.getLong("cancelled"),
        retry,
        endsAs == null ? null : JobState.valueOf(endsAs),
        row.getBoolean("hungry"),
        row.getBoolean("settled"));
  }

  /**
   * Arrays whose own jobs are in one state.
   *
   * @param state of their own jobs
   * @param arrays number of arrays
   * @param left their elements that have no job yet
   */
  public record Held(JobState state, long arrays, long left) {}

  /** Arrays that have not ended, by the state of their own jobs. */
  public List<Held> live(Handle handle) {
    return handle
        .createQuery(
            """
            select j.state, count(*) as arrays,
                sum(case
                    when a.next_index > a.last_index then 0
                    else floor((a.last_index - a.next_index) / a.step_width) + 1 - a.skipped
                    end) as remaining
            from job_array a
            join job j on j.id = a.job_id
            where a.settled = false and j.state not in ('SUCCEEDED', 'FAILED', 'CANCELLED')
            group by j.state
            """)
        .map(
            (row, context) ->
                new Held(
                    JobState.valueOf(row.getString("state")),
                    row.getLong("arrays"),
                    row.getLong("remaining")))
        .list();
  }
}
