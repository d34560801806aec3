package io.millrace.manager.job;

import io.millrace.api.job.ArrayRange;
import io.millrace.api.job.JobKind;
import io.millrace.api.job.JobState;
import io.millrace.manager.job.ArrayRow.Again;
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
   * What elements of one array came to within one transaction; negative for those tried again.
   *
   * @param succeeded more of these
   * @param failed more of these
   * @param cancelled more of these
   */
  public record Sums(long succeeded, long failed, long cancelled) {
    public static final Sums NONE = new Sums(0, 0, 0);

    /** Both together. */
    public Sums plus(Sums other) {
      return new Sums(
          succeeded + other.succeeded, failed + other.failed, cancelled + other.cancelled);
    }

    /** One more, or one less, element in that ended state. */
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

  /** Pools with an array that may have something to feed. */
  public List<String> hungryPools(Handle handle) {
    return handle
        .createQuery("select distinct pool from job_array where hungry = true")
        .mapTo(String.class)
        .list();
  }

  /** Arrays of the pool that may be fed now, the ones fed longest ago first. */
  public List<Long> hungry(Handle handle, String pool, Instant now, int limit) {
    return handle
        .createQuery(
            """
            select a.job_id
            from job_array a
            join job j on j.id = a.job_id
            where a.hungry = true and a.pool = :pool and j.state in ('WAITING', 'RUNNING')
                and j.held = false and j.cancel_reason is null
                and (j.not_before is null or j.not_before <= :now)
            order by a.fed_at, a.job_id
            limit :limit
            """)
        .bind("pool", pool)
        .bind("now", now)
        .bind("limit", limit)
        .mapTo(Long.class)
        .list();
  }

  /** Arrays that have not ended with all their elements, by rising id. */
  public List<ArrayRow> unsettled(Handle handle, long after, int limit) {
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

  /** Rows by id, not locked. */
  public Map<Long, ArrayRow> read(Handle handle, Collection<Long> ids) {
    return rows(handle, ids, "");
  }

  /** Locks rows by rising id; the caller has the locks of all jobs that it will need. */
  public Map<Long, ArrayRow> lock(Handle handle, Collection<Long> ids) {
    return rows(handle, ids, " for update");
  }

  private static Map<Long, ArrayRow> rows(Handle handle, Collection<Long> ids, String how) {
    Map<Long, ArrayRow> rows = new TreeMap<>();
    if (!ids.isEmpty()) {
      handle
          .createQuery("select * from job_array where job_id in (<ids>) order by job_id" + how)
          .bindList("ids", List.copyOf(ids))
          .map((row, context) -> row(row))
          .forEach(row -> rows.put(row.job(), row));
    }
    return rows;
  }

  /** Moves cursors; the caller has the locks of the arrays' own jobs. */
  public void fed(Handle handle, Collection<ArrayRow> rows, Instant now) {
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
                    .bind("hungry", row.hungry())
                    .bind("now", now)
                    .bind("id", row.job())
                    .add());
    batch.execute();
  }

  /** A retry under way has come so far; null when it is through. */
  public void tried(Handle handle, long job, Again rest) {
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

  /** Adds sums, one update for each array, by rising id so that transactions don't deadlock. */
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

  /** Something may be fed again, also to arrays that had ended. */
  public void wake(Handle handle, Collection<Long> ids) {
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

  /** Creates no further elements, and tries none again. */
  public void stop(Handle handle, long job, JobState endsAs) {
    long before = skipped(handle, job);
    handle
        .createUpdate(
            """
            update job_array
            set ends_as = :endsAs, skipped = case when next_index > last_index then 0 else
                floor((last_index - next_index) / step_width) + 1 end, hungry = false,
                again_after = null, again_up_to = null
            where job_id = :id
            """)
        .bind("endsAs", endsAs == null ? null : endsAs.name())
        .bind("id", job)
        .execute();
    count(handle, skipped(handle, job) - before);
  }

  /**
   * Goes on where it was, and tries ended elements again.
   *
   * @param again which; null for none
   */
  public void resume(Handle handle, long job, Again again) {
    count(handle, -skipped(handle, job));
    handle
        .createUpdate(
            """
            update job_array
            set ends_as = null, skipped = 0, hungry = true, settled = false,
                again_after = :after, again_up_to = :upTo, again_cancelled = :cancelledToo
            where job_id = :id
            """)
        .bind("after", again == null ? null : again.after())
        .bind("upTo", again == null ? null : again.upTo())
        .bind("cancelledToo", again != null && again.cancelledToo())
        .bind("id", job)
        .execute();
  }

  /** An ended array goes on for elements that are tried again, and creates none. */
  public void revived(Handle handle, long job, JobState endsAs) {
    handle
        .createUpdate("update job_array set ends_as = :endsAs where job_id = :id")
        .bind("endsAs", endsAs == null ? null : endsAs.name())
        .bind("id", job)
        .execute();
  }

  /** Notes that the array has ended with all its elements. */
  public void settle(Handle handle, long job) {
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

  // Elements that will never have a job count as cancelled ones.
  private void count(Handle handle, long skipped) {
    Changes changes = new Changes();
    changes.add(JobKind.SUBMITTED, JobState.CANCELLED, null, skipped);
    totals.write(handle, changes);
  }

  private static ArrayRow row(ResultSet row) throws SQLException {
    long after = row.getLong("again_after");
    Again again =
        row.wasNull()
            ? null
            : new Again(after, row.getLong("again_up_to"), row.getBoolean("again_cancelled"));
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
        again,
        endsAs == null ? null : JobState.valueOf(endsAs),
        row.getBoolean("hungry"),
        row.getBoolean("settled"));
  }
}
