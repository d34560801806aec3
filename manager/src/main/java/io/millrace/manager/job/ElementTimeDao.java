package io.millrace.manager.job;

import io.millrace.api.job.JobState;
import io.millrace.manager.job.ElementTimes.ElementTime;
import io.millrace.manager.job.ElementTimes.RunSum;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jdbi.v3.core.Handle;

/**
 * Reads when elements of arrays ran, from their rows and from what is kept of ended ones.
 * Stateless.
 */
final class ElementTimeDao {
  /**
   * An element that is a row.
   *
   * @param id its job
   * @param time when its last attempt ran
   */
  record RowTime(long id, ElementTime time) {}

  /**
   * What the ended elements of arrays that have no rows ran together; arrays without any are
   * absent.
   */
  Map<Long, RunSum> sums(Handle handle, Collection<Long> arrays) {
    Map<Long, RunSum> sums = new HashMap<>();
    if (!arrays.isEmpty()) {
      handle
          .createQuery(
              """
              select array_id, elements, run_millis
              from array_usage
              where array_id in (<arrays>)
              """)
          .bindList("arrays", List.copyOf(arrays))
          .map(
              (row, context) ->
                  Map.entry(
                      row.getLong("array_id"),
                      new RunSum(row.getLong("elements"), row.getLong("run_millis"))))
          .forEach(entry -> sums.put(entry.getKey(), entry.getValue()));
    }
    return sums;
  }

  /** Blocks of ended elements from a number on, by rising number. */
  SortedMap<Integer, ElementBlock> blocks(Handle handle, long array, int from, int limit) {
    SortedMap<Integer, ElementBlock> blocks = new TreeMap<>();
    handle
        .createQuery(
            """
            select block_number, bits, facts
            from ended_elements
            where array_id = :array and block_number >= :from
            order by array_id, block_number
            limit :limit
            """)
        .bind("array", array)
        .bind("from", from)
        .bind("limit", limit)
        .map(
            (row, context) ->
                Map.entry(
                    row.getInt("block_number"),
                    ElementBlock.read(row.getBytes("bits"), row.getBytes("facts"))))
        .forEach(entry -> blocks.put(entry.getKey(), entry.getValue()));
    return blocks;
  }

  /** Started elements that are rows, in one state, above an id, by rising id. */
  List<RowTime> rows(Handle handle, long array, JobState state, long after, int limit) {
    return handle
        .createQuery(
            """
            select j.id, j.array_index, j.started_at, j.ended_at, a.run_millis
            from job j
            left join attempt a on a.job_id = j.id and a.attempt_number = j.attempt_number
            where j.array_id = :array and j.kind = 'SUBMITTED' and j.state = :state
                and j.id > :after
            order by j.array_id, j.kind, j.state, j.id
            limit :limit
            """)
        .bind("array", array)
        .bind("state", state.name())
        .bind("after", after)
        .bind("limit", limit)
        .map(
            (row, context) -> {
              Instant started = JobColumns.instant(row, "started_at");
              Instant ended = JobColumns.instant(row, "ended_at");
              return new RowTime(
                  row.getLong("id"),
                  new ElementTime(
                      row.getLong("array_index"),
                      started == null ? 0 : started.toEpochMilli(),
                      ended == null ? 0 : ended.toEpochMilli(),
                      row.getLong("run_millis")));
            })
        .list();
  }
}
