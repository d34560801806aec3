package io.millrace.manager.insight;

import io.millrace.api.job.JobState;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.mapper.reflect.ConstructorMapper;

/** Reads the facts that explanations need about jobs, without locking. Stateless. */
public final class WaitFactsDao {
  public Optional<WaitFacts> find(Handle handle, long id) {
    return find(handle, List.of(id)).stream().findFirst();
  }

  /** The facts about those of the jobs that exist. */
  public List<WaitFacts> find(Handle handle, Collection<Long> ids) {
    if (ids.isEmpty()) {
      return List.of();
    }
    return handle
        .createQuery(
            """
            select j.id, j.state, j.pool, j.shape_id as shape, j.near_node as near, j.definition,
                j.held, j.hold_reason, j.unmet, j.lane, j.not_before,
                j.attempt_number as attempt, j.reason, j.is_array, r.ready_at
            from job j
            left join job_ready r on r.job_id = j.id
            where j.id in (<ids>)
            """)
        .bindList("ids", List.copyOf(ids))
        .map(ConstructorMapper.of(WaitFacts.class))
        .list();
  }

  /** Number of jobs of the same shape that are before the job, counted up to a bound. */
  public int before(Handle handle, WaitFacts job, int most) {
    return handle
        .createQuery(
            """
            select count(*)
            from (
                select 1 as one
                from job_ready
                where pool = :pool and shape_id = :shape
                    and (ready_at < :at or (ready_at = :at and job_id < :id))
                limit :most) counted
            """)
        .bind("pool", job.pool())
        .bind("shape", job.shape())
        .bind("at", job.readyAt())
        .bind("id", job.id())
        .bind("most", most)
        .mapTo(Integer.class)
        .one();
  }

  /**
   * The facts that a job's explanation needs besides its view.
   *
   * @param id the job's id
   * @param state its state
   * @param pool where it runs
   * @param shape the shape that it is placed by
   * @param near the queue node on whose host it prefers to run; null for none
   * @param definition the key under which earlier runs of the same job are found
   * @param held whether it is on hold
   * @param holdReason who held it and why; null if not given
   * @param unmet dependencies that are not met yet
   * @param lane its serial lane; null for none
   * @param notBefore when it may start (again); null for at once
   * @param attempt number of its last attempt; 0 before the first
   * @param reason human-readable reason for its state; null if there is none
   * @param isArray whether it is the own job of an array
   * @param readyAt since when it waits to be placed; null if it does not
   */
  record WaitFacts(
      long id,
      JobState state,
      String pool,
      long shape,
      String near,
      String definition,
      boolean held,
      String holdReason,
      int unmet,
      String lane,
      Instant notBefore,
      int attempt,
      String reason,
      boolean isArray,
      Instant readyAt) {
    /** Whether nothing but its turn on a node keeps it waiting. */
    public boolean placeable(Instant now) {
      return state == JobState.WAITING && (notBefore == null || !notBefore.isAfter(now));
    }
  }
}
