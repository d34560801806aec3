package io.millrace.manager.job;

import io.millrace.api.job.JobKind;
import io.millrace.api.job.JobState;
import io.millrace.api.job.JobView.JobCounts;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.mapper.reflect.ConstructorMapper;
import org.jdbi.v3.core.statement.PreparedBatch;

/**
 * Number of kept ended jobs by state, without reading the jobs: whatever ends, revives or deletes
 * jobs records the difference in the same transaction, as a separate row, so that transactions do
 * not wait for one another. {@link #fold} adds such rows to the sums. Stateless.
 *
 * <p>Successful workers are also counted for each queue, because their number is limited for each.
 */
public final class JobTotalDao {
  private static final String ALL = "";
  private static final int MAX_DELETED = 100;

  /** The key of a sum: the queue is empty except for successful workers of a queue. */
  private record Counted(String queue, String kind, String state) {}

  /** A queue and the number of its successful workers that are kept. */
  public record KeptWorkers(String queue, long jobs) {}

  /** Differences of one transaction. Not thread-safe. */
  public static final class Changes {
    private final Map<Counted, Long> sums = new HashMap<>();

    /** Adds that number of jobs to a state, negative for fewer; arrays themselves do not count. */
    public void add(JobKind kind, JobState state, String queue, long jobs) {
      sums.merge(new Counted(ALL, kind.name(), state.name()), jobs, Long::sum);
      if (kind == JobKind.WORKER && state == JobState.SUCCEEDED && queue != null) {
        sums.merge(new Counted(queue, kind.name(), state.name()), jobs, Long::sum);
      }
    }
  }

  /** Writes the differences of a transaction. */
  public void write(Handle handle, Changes changes) {
    changes.sums.values().removeIf(difference -> difference == 0);
    if (changes.sums.isEmpty()) {
      return;
    }
    PreparedBatch batch =
        handle.prepareBatch(
            """
            insert into job_total_change (queue, kind, state, jobs)
            values (:queue, :kind, :state, :jobs)
            """);
    changes.sums.forEach((counted, jobs) -> bind(batch, counted).bind("jobs", jobs).add());
    batch.execute();
  }

  /**
   * Adds up to that many differences to the sums; returns how many. Runs under a claim: of two
   * concurrent runs, one fails.
   */
  public int fold(Handle handle, int limit) {
    Map<Counted, Long> sums = new HashMap<>();
    List<Long> ids = new ArrayList<>();
    handle
        .createQuery(
            """
            select id, queue, kind, state, jobs
            from job_total_change
            order by id
            limit :limit
            """)
        .bind("limit", limit)
        .map(
            (row, context) -> {
              ids.add(row.getLong("id"));
              return Map.entry(
                  new Counted(
                      row.getString("queue"), row.getString("kind"), row.getString("state")),
                  row.getLong("jobs"));
            })
        .forEach(entry -> sums.merge(entry.getKey(), entry.getValue(), Long::sum));
    if (ids.isEmpty()) {
      return 0;
    }
    // By their ids: a row with a lower id may be committed later than one with a higher id.
    int deleted =
        handle
            .createUpdate("delete from job_total_change where id in (<ids>)")
            .bindList("ids", ids)
            .execute();
    if (deleted != ids.size()) {
      throw new IllegalStateException("job_total_change is being folded by another process");
    }
    PreparedBatch batch =
        handle.prepareBatch(
            """
            insert into job_total (queue, kind, state, jobs)
            values (:queue, :kind, :state, :jobs)
            on duplicate key update jobs = jobs + values(jobs)
            """);
    sums.forEach((counted, jobs) -> bind(batch, counted).bind("jobs", jobs).add());
    batch.execute();
    deleteNone(handle);
    return ids.size();
  }

  /**
   * Deletes the rows of queues whose last job was deleted, which may be deleted themselves. What is
   * missing is zero, so that a later difference creates the row again.
   */
  private static void deleteNone(Handle handle) {
    handle
        .createUpdate("delete from job_total where jobs = 0 and queue <> :all limit :limit")
        .bind("all", ALL)
        .bind("limit", MAX_DELETED)
        .execute();
  }

  /** Adds the ended jobs by kind and state, from sums and differences in one statement. */
  public void read(Handle handle, StateCounts counts) {
    handle
        .createQuery(
            """
            select kind, state, jobs
            from job_total
            where queue = :all
            union all
            select kind, state, jobs
            from job_total_change
            where queue = :all
            """)
        .bind("all", ALL)
        .map(
            (row, context) -> {
              counts.add(
                  JobKind.valueOf(row.getString("kind")),
                  JobState.valueOf(row.getString("state")),
                  row.getLong("jobs"));
              return null;
            })
        .list();
  }

  /** Queues that keep more successful workers than that, as far as folded. */
  public List<KeptWorkers> workersBeyond(Handle handle, long most, int limit) {
    return handle
        .createQuery(
            """
            select queue, jobs
            from job_total
            where jobs > :most and queue <> :all
            order by jobs desc
            limit :limit
            """)
        .bind("most", most)
        .bind("all", ALL)
        .bind("limit", limit)
        .map(ConstructorMapper.of(KeptWorkers.class))
        .list();
  }

  private static PreparedBatch bind(PreparedBatch batch, Counted counted) {
    return batch
        .bind("queue", counted.queue())
        .bind("kind", counted.kind())
        .bind("state", counted.state());
  }

  /** Number of jobs by kind and state. Not thread-safe; complete once it has been read. */
  static final class StateCounts {
    private final Map<JobKind, Map<JobState, Long>> counts = new EnumMap<>(JobKind.class);

    void add(JobKind kind, JobState state, long jobs) {
      counts
          .computeIfAbsent(kind, one -> new EnumMap<>(JobState.class))
          .merge(state, jobs, Long::sum);
    }

    /** The sums over these kinds; a job counts as waiting until it is placed. */
    public JobCounts of(Set<JobKind> kinds) {
      long waiting = 0;
      long running = 0;
      for (JobState state : JobState.values()) {
        if (state.waits()) {
          waiting += count(kinds, state);
        } else if (state.live()) {
          running += count(kinds, state);
        }
      }
      return new JobCounts(
          waiting,
          running,
          count(kinds, JobState.SUCCEEDED),
          count(kinds, JobState.FAILED),
          count(kinds, JobState.CANCELLED));
    }

    /** All of them; what is missing is zero. */
    Map<JobKind, Map<JobState, Long>> byKind() {
      return Collections.unmodifiableMap(counts);
    }

    private long count(Set<JobKind> kinds, JobState state) {
      return kinds.stream()
          .mapToLong(kind -> counts.getOrDefault(kind, Map.of()).getOrDefault(state, 0L))
          .sum();
    }
  }
}
