package io.millrace.manager.insight;

import io.millrace.api.job.JobState;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.Optional;
import org.jdbi.v3.core.Handle;

/** Reads what explanations need of jobs, without locking. Stateless. */
public final class WaitFactsDao {
  public Optional<WaitFacts> find(Handle handle, long id) {
    return handle
        .createQuery(
            """
            select j.id, j.state, j.pool, j.shape_id, j.near_node, j.definition, j.held,
                j.hold_reason, j.unmet, j.lane, j.not_before, j.attempt_number, j.reason,
                j.is_array, r.ready_at
            from job j
            left
            join job_ready r on r.job_id = j.id
            where j.id = :id
            """)
        .bind("id", id)
        .map((row, context) -> facts(row))
        .findOne();
  }

  /** How many jobs of the same shape come before the job, counted up to a bound. */
  public int before(Handle handle, WaitFacts job, int most) {
    return handle
        .createQuery(
            """
            select count(*)
            from (select 1 as one from job_ready where pool = :pool and shape_id = :shape
                and (ready_at < :at or (ready_at = :at and job_id < :id)) limit :most) counted
            """)
        .bind("pool", job.pool())
        .bind("shape", job.shape())
        .bind("at", job.readyAt())
        .bind("id", job.id())
        .bind("most", most)
        .mapTo(Integer.class)
        .one();
  }

  private static WaitFacts facts(ResultSet row) throws SQLException {
    return new WaitFacts(
        row.getLong("id"),
        JobState.valueOf(row.getString("state")),
        row.getString("pool"),
        row.getLong("shape_id"),
        row.getString("near_node"),
        row.getString("definition"),
        row.getBoolean("held"),
        row.getString("hold_reason"),
        row.getInt("unmet"),
        row.getString("lane"),
        instant(row, "not_before"),
        row.getInt("attempt_number"),
        row.getString("reason"),
        row.getBoolean("is_array"),
        instant(row, "ready_at"));
  }

  private static Instant instant(ResultSet row, String column) throws SQLException {
    LocalDateTime value = row.getObject(column, LocalDateTime.class);
    return value == null ? null : value.toInstant(ZoneOffset.UTC);
  }

  /**
   * What a job's explanation needs besides its view.
   *
   * @param id the job's id
   * @param state now
   * @param pool where it runs
   * @param shape the shape that it is placed by
   * @param near the queue node that it would like to run beside; null for none
   * @param definition what earlier runs of the same are found by
   * @param held whether somebody wants it to wait
   * @param holdReason who and why; null if not said
   * @param unmet dependencies that are not met yet
   * @param lane its serial lane; null for none
   * @param notBefore when it may start (again); null for at once
   * @param attempt number of its last attempt; 0 before the first
   * @param reason why it is in its state, for people; null if plain
   * @param isArray whether it stands for an array
   * @param readyAt since when it waits to be placed; null when it doesn't
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
