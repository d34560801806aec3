package io.millrace.manager.job;

import io.millrace.api.job.JobState;
import java.util.Collection;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jdbi.v3.core.Handle;

/**
 * Finds elements of arrays. Every query goes by the index on array and state, and reads as many
 * entries as there are elements in the states asked for. Stateless.
 */
public final class ArrayElementDao {
  /** Elements by array and state, of these states only. */
  public Map<Long, Map<JobState, Integer>> count(
      Handle handle, Collection<Long> arrays, Set<JobState> states) {
    Map<Long, Map<JobState, Integer>> counts = new HashMap<>();
    if (arrays.isEmpty()) {
      return counts;
    }
    handle
        .createQuery(
            """
            select array_id, state, count(*) as elements
            from job
            where array_id in (<arrays>) and kind = 'SUBMITTED' and state in (<states>)
            group by array_id, state
            """)
        .bindList("arrays", List.copyOf(arrays))
        .bindList("states", states.stream().map(JobState::name).toList())
        .map(
            (row, context) ->
                Map.entry(
                    row.getLong("array_id"),
                    Map.entry(JobState.valueOf(row.getString("state")), row.getInt("elements"))))
        .forEach(
            entry ->
                counts
                    .computeIfAbsent(entry.getKey(), id -> new EnumMap<>(JobState.class))
                    .put(entry.getValue().getKey(), entry.getValue().getValue()));
    return counts;
  }

  /** Those of the arrays that have an element in one of these states. */
  public Set<Long> having(Handle handle, Collection<Long> arrays, Set<JobState> states) {
    if (arrays.isEmpty()) {
      return Set.of();
    }
    return new HashSet<>(
        handle
            .createQuery(
                """
                select a.job_id
                from job_array a
                where a.job_id in (<arrays>) and exists (select 1 from job j where j.array_id =
                    a.job_id and j.kind = 'SUBMITTED' and j.state in (<states>))
                """)
            .bindList("arrays", List.copyOf(arrays))
            .bindList("states", states.stream().map(JobState::name).toList())
            .mapTo(Long.class)
            .list());
  }

  /** Those of the arrays that have an element that has not ended and was not asked to. */
  public Set<Long> unasked(Handle handle, Collection<Long> arrays) {
    if (arrays.isEmpty()) {
      return Set.of();
    }
    return new HashSet<>(
        handle
            .createQuery(
                """
                select a.job_id
                from job_array a
                where a.job_id in (<arrays>) and a.ends_as is not null
                    and exists (select 1 from job j where j.array_id = a.job_id
                    and j.kind = 'SUBMITTED' and j.state in ('WAITING', 'BLOCKED', 'HELD', 'PLACED',
                    'RUNNING') and j.cancel_reason is null)
                """)
            .bindList("arrays", List.copyOf(arrays))
            .mapTo(Long.class)
            .list());
  }

  /** Elements in one state with ids above the one and not above the other, by rising id. */
  public List<Long> in(
      Handle handle, long array, JobState state, long after, long upTo, int limit) {
    return handle
        .createQuery(
            """
            select id
            from job
            where array_id = :array and kind = 'SUBMITTED' and state = :state and id > :after
                and id <= :upTo
            order by array_id, kind, state, id
            limit :limit
            """)
        .bind("array", array)
        .bind("state", state.name())
        .bind("after", after)
        .bind("upTo", upTo)
        .bind("limit", limit)
        .mapTo(Long.class)
        .list();
  }

  /** The youngest element that ended so. */
  public Optional<Long> youngest(Handle handle, long array, JobState state) {
    return handle
        .createQuery(
            """
            select id
            from job
            where array_id = :array and kind = 'SUBMITTED' and state = :state
            order by array_id desc, kind desc, state desc, id desc
            limit 1
            """)
        .bind("array", array)
        .bind("state", state.name())
        .mapTo(Long.class)
        .findOne();
  }
}
