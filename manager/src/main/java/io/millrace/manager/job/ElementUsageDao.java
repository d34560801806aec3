package io.millrace.manager.job;

import io.millrace.api.job.JobState;
import io.millrace.manager.job.JobColumns.Chunks;
import io.millrace.manager.job.UsedElements.UsedElement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jdbi.v3.core.Handle;

/** What the elements of arrays that succeeded have used, as sums. Stateless. */
public final class ElementUsageDao {
  private static final int CHUNK = 1000;

  /**
   * Sums over elements; of the attempt that succeeded.
   *
   * @param elements how many
   * @param measured those of them whose memory was measured: others ended before the first sample
   * @param runMillis run time of all
   * @param longestMillis the longest run time
   * @param cpuMillis processor time of all, as far as it was measured
   * @param memoryBytesMax the largest memory
   * @param memoryBytesSum memory of the measured ones
   */
  public record ElementUsage(
      long elements,
      long measured,
      long runMillis,
      long longestMillis,
      long cpuMillis,
      long memoryBytesMax,
      long memoryBytesSum) {
    /** Of no elements. */
    public static final ElementUsage NONE = new ElementUsage(0, 0, 0, 0, 0, 0, 0);

    /** The sums of both. */
    public ElementUsage plus(ElementUsage other) {
      return new ElementUsage(
          elements + other.elements,
          measured + other.measured,
          runMillis + other.runMillis,
          Math.max(longestMillis, other.longestMillis),
          cpuMillis + other.cpuMillis,
          Math.max(memoryBytesMax, other.memoryBytesMax),
          memoryBytesSum + other.memoryBytesSum);
    }
  }

  /** By array; arrays of which no element has succeeded are left out. */
  public Map<Long, ElementUsage> of(Handle handle, Collection<Long> arrays) {
    Map<Long, ElementUsage> sums = new HashMap<>();
    for (List<Long> chunk : Chunks.of(arrays, CHUNK)) {
      add(
          handle,
          """
          select u.array_id, u.elements, u.measured, u.run_millis,
              coalesce(r.run_millis_max, 0) as longest, u.cpu_millis, u.memory_bytes_max,
              u.memory_bytes_sum
          from array_usage u
          left join array_run_time r on r.array_id = u.array_id
          where u.array_id in (<arrays>)
          """,
          chunk,
          sums);
      add(
          handle,
          """
          select j.array_id, count(*) as elements, count(nullif(a.memory_bytes, 0)) as measured,
              sum(a.run_millis) as run_millis, max(a.run_millis) as longest,
              coalesce(sum(a.cpu_millis), 0) as cpu_millis,
              coalesce(max(a.memory_bytes), 0) as memory_bytes_max,
              coalesce(sum(a.memory_bytes), 0) as memory_bytes_sum
          from job j
          join attempt a on a.job_id = j.id and a.attempt_number = j.attempt_number
          where j.array_id in (<arrays>) and j.kind = 'SUBMITTED' and j.state = 'SUCCEEDED'
          group by j.array_id
          """,
          chunk,
          sums);
    }
    return sums;
  }

  /** Some elements with rows in one state whose memory was measured, the oldest first. */
  List<UsedElement> elements(Handle handle, long array, JobState state, int limit) {
    return handle
        .createQuery(
            """
            select j.array_index, j.memory_bytes as asked, a.memory_bytes as used, a.cpu_millis,
                a.run_millis
            from job j
            join attempt a on a.job_id = j.id and a.attempt_number = j.attempt_number
            where j.array_id = :array and j.kind = 'SUBMITTED' and j.state = :state
            order by j.array_id, j.kind, j.state, j.id
            limit :limit
            """)
        .bind("array", array)
        .bind("state", state.name())
        .bind("limit", limit)
        .map(
            (row, context) ->
                row.getLong("used") == 0
                    ? null
                    : new UsedElement(
                        row.getLong("array_index"),
                        JobColumns.number(row, "asked"),
                        row.getLong("used"),
                        row.getLong("cpu_millis"),
                        row.getLong("run_millis")))
        .stream()
        // Few are not measured; a condition in the statement could make it read very many rows.
        .filter(Objects::nonNull)
        .toList();
  }

  private static void add(
      Handle handle, String query, List<Long> arrays, Map<Long, ElementUsage> sums) {
    handle
        .createQuery(query)
        .bindList("arrays", arrays)
        .map((row, context) -> Map.entry(row.getLong("array_id"), usage(row)))
        .forEach(entry -> sums.merge(entry.getKey(), entry.getValue(), ElementUsage::plus));
  }

  private static ElementUsage usage(ResultSet row) throws SQLException {
    return new ElementUsage(
        row.getLong("elements"),
        row.getLong("measured"),
        row.getLong("run_millis"),
        row.getLong("longest"),
        row.getLong("cpu_millis"),
        row.getLong("memory_bytes_max"),
        row.getLong("memory_bytes_sum"));
  }
}
