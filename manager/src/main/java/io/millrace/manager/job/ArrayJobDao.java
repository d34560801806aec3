package io.millrace.manager.job;

import io.millrace.api.Json;
import io.millrace.api.job.JobSpec;
import io.millrace.api.job.JobState;
import io.millrace.api.job.JobView;
import java.time.Instant;
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
 * The rows of the table {@code job} that belong to arrays: the array's own job, which has no
 * attempts, changed only from the state that is expected; and its elements, found through the index
 * on array and state, so that a query reads as many entries as there are elements in the requested
 * states. Stateless.
 */
public final class ArrayJobDao {
  /**
   * What elements are created from.
   *
   * @param owner who submitted the array
   * @param spec as submitted
   */
  public record Template(String owner, JobSpec spec) {}

  /** The own jobs of arrays as in lists, without their progress, by id. */
  Map<Long, JobView> views(Handle handle, Collection<Long> arrays) {
    Map<Long, JobView> views = new HashMap<>();
    if (!arrays.isEmpty()) {
      handle
          .createQuery("select * from job where id in (<ids>)")
          .bindList("ids", List.copyOf(arrays))
          .map((row, context) -> JobColumns.view(row, null, null))
          .forEach(view -> views.put(view.id(), view));
    }
    return views;
  }

  public Map<Long, Template> templates(Handle handle, Collection<Long> arrays) {
    Map<Long, Template> templates = new HashMap<>();
    if (!arrays.isEmpty()) {
      handle
          .createQuery("select id, owner, spec from job where id in (<ids>)")
          .bindList("ids", List.copyOf(arrays))
          .map(
              (row, context) ->
                  Map.entry(
                      row.getLong("id"),
                      new Template(
                          row.getString("owner"), Json.read(row.getString("spec"), JobSpec.class))))
          .forEach(entry -> templates.put(entry.getKey(), entry.getValue()));
    }
    return templates;
  }

  /** Records that the first element has started. */
  public void start(Handle handle, JobFacts array, Instant now) {
    handle
        .createUpdate(
            """
            update job
            set state = 'RUNNING', started_at = :now, reason = null
            where id = :id and state = 'WAITING'
            """)
        .bind("now", now)
        .bind("id", array.id())
        .execute();
  }

  /** Records that it is to end as soon as its elements have ended. */
  public void requestEnd(Handle handle, JobFacts array, String reason) {
    handle
        .createUpdate(
            """
            update job
            set cancel_reason = :reason, reason = :reason, held = false, hold_reason = null
            where id = :id and state = :state
            """)
        .bind("reason", reason)
        .bind("id", array.id())
        .bind("state", array.state().name())
        .execute();
  }

  /** Holds a running array, so that no further elements start, or releases it. */
  public void hold(Handle handle, JobFacts array, boolean held, String reason) {
    handle
        .createUpdate(
            """
            update job
            set held = :held, hold_reason = :reason, reason = :reason
            where id = :id and state = 'RUNNING'
            """)
        .bind("held", held)
        .bind("reason", held ? reason : null)
        .bind("id", array.id())
        .execute();
  }

  /** Makes an ended array wait again, because one of its elements does. */
  public void revive(Handle handle, JobFacts array) {
    handle
        .createUpdate(
            """
            update job
            set state = :waiting, reason = null, cancel_reason = null, ended_at = null
            where id = :id and state = :state
            """)
        .bind("waiting", JobState.WAITING.name())
        .bind("id", array.id())
        .bind("state", array.state().name())
        .execute();
  }

  /** Number of elements by array and state, of these states only. */
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

  /** The arrays that have an element in one of these states. */
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
                where a.job_id in (<arrays>) and exists (
                    select 1
                    from job j
                    where j.array_id = a.job_id and j.kind = 'SUBMITTED' and j.state in (<states>))
                """)
            .bindList("arrays", List.copyOf(arrays))
            .bindList("states", states.stream().map(JobState::name).toList())
            .mapTo(Long.class)
            .list());
  }

  /** The arrays with an early end that have an element neither ended nor cancelled. */
  public Set<Long> havingUncancelled(Handle handle, Collection<Long> arrays) {
    if (arrays.isEmpty()) {
      return Set.of();
    }
    return new HashSet<>(
        handle
            .createQuery(
                """
                select a.job_id
                from job_array a
                where a.job_id in (<arrays>) and a.ends_as is not null and exists (
                    select 1
                    from job j
                    where j.array_id = a.job_id and j.kind = 'SUBMITTED'
                        and j.state in ('WAITING', 'BLOCKED', 'HELD', 'PLACED', 'RUNNING')
                        and j.cancel_reason is null)
                """)
            .bindList("arrays", List.copyOf(arrays))
            .mapTo(Long.class)
            .list());
  }

  /** Those of the arrays whose own jobs have not ended, by rising id. */
  public List<Long> unended(Handle handle, Collection<Long> arrays) {
    if (arrays.isEmpty()) {
      return List.of();
    }
    return handle
        .createQuery(
            """
            select id
            from job
            where id in (<arrays>) and state not in ('SUCCEEDED', 'FAILED', 'CANCELLED')
                and cancel_reason is null
            order by id
            """)
        .bindList("arrays", List.copyOf(arrays))
        .mapTo(Long.class)
        .list();
  }

  /** Some elements of these arrays that have not been placed, by rising id. */
  public List<Long> waitingElements(Handle handle, Collection<Long> arrays, int limit) {
    if (arrays.isEmpty()) {
      return List.of();
    }
    return handle
        .createQuery(
            """
            select id
            from job
            where array_id in (<arrays>) and kind = 'SUBMITTED'
                and state in ('WAITING', 'BLOCKED', 'HELD')
            order by id
            limit :limit
            """)
        .bindList("arrays", List.copyOf(arrays))
        .bind("limit", limit)
        .mapTo(Long.class)
        .list();
  }

  /** Elements in one state with ids above {@code after} and up to {@code upTo}, by rising id. */
  public List<Long> inState(
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

  /**
   * An element of an array.
   *
   * @param id of its job
   * @param characters how long its specification is as it is stored
   */
  record StoredElement(long id, long characters) {}

  /** Elements in one state that are not cancelled, with ids above {@code after}, by rising id. */
  List<StoredElement> uncancelled(
      Handle handle, long array, JobState state, long after, int limit) {
    return handle
        .createQuery(
            """
            select id, char_length(spec) as characters
            from job
            where array_id = :array and kind = 'SUBMITTED' and state = :state and id > :after
                and cancel_reason is null
            order by array_id, kind, state, id
            limit :limit
            """)
        .bind("array", array)
        .bind("state", state.name())
        .bind("after", after)
        .bind("limit", limit)
        .map((row, context) -> new StoredElement(row.getLong("id"), row.getLong("characters")))
        .list();
  }

  /** The newest element in that state. */
  public Optional<Long> newest(Handle handle, long array, JobState state) {
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
