package io.millrace.manager.job;

import io.millrace.api.DataSize;
import io.millrace.api.Json;
import io.millrace.api.job.JobSpec;
import io.millrace.api.job.ResourceAdjustment;
import io.millrace.api.job.ResourceAdjustment.AdjustmentKind;
import io.millrace.manager.job.JobColumns.Chunks;
import io.millrace.manager.job.JobColumns.ColumnText;
import io.millrace.manager.job.ResourceScaling.ResourceRequest;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.PreparedBatch;

/**
 * The table {@code resource_adjustment}: the requests for resources of jobs that were adjusted, the
 * original first (J-13). Stateless.
 */
public final class ResourceAdjustmentDao {
  /** The most requests that are read of one job; the first ones, which tell most. */
  static final int MAX_READ = 1000;

  private static final int CHUNK = 1000;

  /**
   * A change of what a job requests.
   *
   * @param job the job, locked; its attempt has ended
   * @param before what it requested
   * @param after what it requests from its next attempt on
   * @param spec its specification from then on
   * @param shape its shape from then on; 0 to compute it when the job is placed
   * @param reason what is changed and why
   */
  record RequestChange(
      JobFacts job,
      ResourceRequest before,
      ResourceRequest after,
      JobSpec spec,
      long shape,
      String reason) {}

  /**
   * The adjusted requests of an array's elements.
   *
   * @param elements whose requests were adjusted
   * @param memoryBytes the highest of them; null if none states memory
   * @param timeoutMillis the highest of them; null if none states a time limit
   */
  public record AdjustedElements(long elements, Long memoryBytes, Long timeoutMillis) {
    /** Those of both. */
    public AdjustedElements plus(AdjustedElements other) {
      return new AdjustedElements(
          elements + other.elements,
          larger(memoryBytes, other.memoryBytes),
          larger(timeoutMillis, other.timeoutMillis));
    }

    private static Long larger(Long one, Long other) {
      return one == null || (other != null && other > one) ? other : one;
    }
  }

  /** Changes the requests of jobs, and records them. */
  void write(Handle handle, Collection<RequestChange> changes, Instant now) {
    if (changes.isEmpty()) {
      return;
    }
    PreparedBatch jobs =
        handle.prepareBatch(
            """
            update job
            set spec = :spec, pool = :pool, memory_bytes = :memory, shape_id = :shape
            where id = :id and attempt_number = :attempt
            """);
    PreparedBatch rows =
        handle.prepareBatch(
            """
            insert ignore into resource_adjustment (job_id, attempt_number, array_id, recorded_at,
                kind, pool, memory_bytes, timeout_millis, reason)
            values (:id, :attempt, :array, :at, :kind, :pool, :memory, :timeout, :reason)
            """);
    for (RequestChange change : changes) {
      JobFacts job = change.job();
      Long memory = change.after().memoryBytes();
      jobs.bind("spec", Json.write(change.spec()))
          .bind("pool", change.after().pool())
          // Without a request of its own, it books what earlier runs used.
          .bind("memory", memory == null ? (Long) job.memoryBytes() : memory)
          .bind("shape", change.shape())
          .bind("id", job.id())
          .bind("attempt", job.attempt())
          .add();
      add(rows, job, 1, AdjustmentKind.ORIGINAL, change.before(), null, job.submittedAt());
      add(
          rows,
          job,
          job.attempt() + 1,
          AdjustmentKind.ADJUSTED,
          change.after(),
          change.reason(),
          now);
    }
    jobs.execute();
    rows.execute();
  }

  private static void add(
      PreparedBatch rows,
      JobFacts job,
      int attempt,
      AdjustmentKind kind,
      ResourceRequest request,
      String reason,
      Instant at) {
    rows.bind("id", job.id())
        .bind("attempt", attempt)
        .bind("array", job.array())
        .bind("at", at)
        .bind("kind", kind.name())
        .bind("pool", request.pool())
        .bind("memory", request.memoryBytes())
        .bind("timeout", request.timeoutMillis())
        .bind("reason", ColumnText.start(reason))
        .add();
  }

  /** The requests of a job, the original first; empty if none was adjusted. */
  List<ResourceAdjustment> of(Handle handle, long job) {
    return handle
        .createQuery(
            """
            select attempt_number, recorded_at, kind, pool, memory_bytes, timeout_millis, reason
            from resource_adjustment
            where job_id = :job
            order by job_id, attempt_number
            limit :limit
            """)
        .bind("job", job)
        .bind("limit", MAX_READ)
        .map(
            (row, context) -> {
              Long memory = JobColumns.number(row, "memory_bytes");
              Long timeout = JobColumns.number(row, "timeout_millis");
              return new ResourceAdjustment(
                  JobColumns.instant(row, "recorded_at"),
                  row.getInt("attempt_number"),
                  AdjustmentKind.valueOf(row.getString("kind")),
                  row.getString("pool"),
                  memory == null ? null : new DataSize(memory),
                  timeout == null ? null : Duration.ofMillis(timeout),
                  row.getString("reason"));
            })
        .list();
  }

  /** The adjusted requests of elements, by array; arrays without any are left out. */
  public Map<Long, AdjustedElements> byArray(Handle handle, Collection<Long> arrays) {
    Map<Long, AdjustedElements> found = new HashMap<>();
    for (List<Long> chunk : Chunks.of(arrays, CHUNK)) {
      handle
          .createQuery(
              """
              select array_id, count(distinct job_id) as elements,
                  max(memory_bytes) as memory, max(timeout_millis) as timeout
              from resource_adjustment
              where array_id in (<arrays>) and kind = 'ADJUSTED'
              group by array_id
              """)
          .bindList("arrays", chunk)
          .map(
              (row, context) ->
                  Map.entry(
                      row.getLong("array_id"),
                      new AdjustedElements(
                          row.getLong("elements"),
                          JobColumns.number(row, "memory"),
                          JobColumns.number(row, "timeout"))))
          .forEach(entry -> found.put(entry.getKey(), entry.getValue()));
    }
    return found;
  }
}
