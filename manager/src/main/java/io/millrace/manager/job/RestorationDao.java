package io.millrace.manager.job;

import io.millrace.api.job.AttemptId;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jdbi.v3.core.Handle;

/** The restorations of this database from backups, and what follows from them. Stateless. */
public final class RestorationDao {
  /**
   * One restoration.
   *
   * @param backup the backup's id
   * @param takenAt the moment that was copied
   * @param restoredAt when it was restored, by this database's clock
   * @param lastJob jobs of the backup have numbers up to this one
   * @param attemptFloor their next attempts have higher numbers
   * @param holdUntil until when exclusive jobs wait
   */
  public record Restoration(
      String backup,
      Instant takenAt,
      Instant restoredAt,
      long lastJob,
      int attemptFloor,
      Instant holdUntil) {
    /** Whether an attempt of this database is from the backup, and not from after it. */
    boolean contained(AttemptId attempt) {
      return attempt.job() <= lastJob && attempt.number() <= attemptFloor;
    }
  }

  /**
   * Above which number the next attempt of a job is.
   *
   * @param lastJob the highest job that it applies to
   * @param attempt the number
   */
  public record AttemptFloor(long lastJob, int attempt) {
    /** The number of the next attempt of a job. Pure. */
    static int next(List<AttemptFloor> floors, long job, int last) {
      return 1
          + floors.stream()
              .filter(floor -> job <= floor.lastJob())
              .mapToInt(AttemptFloor::attempt)
              .reduce(last, Math::max);
    }
  }

  public void insert(Handle handle, Restoration one) {
    handle
        .createUpdate(
            """
            insert into restoration (backup_id, taken_at, restored_at, last_job, attempt_floor,
                hold_until)
            values (:backup, :taken, :restored, :lastJob, :floor, :hold)
            """)
        .bind("backup", one.backup())
        .bind("taken", one.takenAt())
        .bind("restored", one.restoredAt())
        .bind("lastJob", one.lastJob())
        .bind("floor", one.attemptFloor())
        .bind("hold", one.holdUntil())
        .execute();
  }

  /** All restorations. */
  public List<Restoration> all(Handle handle) {
    return handle
        .createQuery(
            """
            select backup_id, taken_at, restored_at, last_job, attempt_floor, hold_until
            from restoration
            order by id
            """)
        .map(
            (row, context) ->
                new Restoration(
                    row.getString("backup_id"),
                    JobColumns.instant(row, "taken_at"),
                    JobColumns.instant(row, "restored_at"),
                    row.getLong("last_job"),
                    row.getInt("attempt_floor"),
                    JobColumns.instant(row, "hold_until")))
        .list();
  }

  /** The floors of all restorations. */
  List<AttemptFloor> floors(Handle handle) {
    return handle
        .createQuery("select last_job, attempt_floor from restoration")
        .map((row, context) -> new AttemptFloor(row.getLong(1), row.getInt(2)))
        .list();
  }

  /** Until when exclusive jobs wait; empty for a time that has passed. */
  public Optional<Instant> hold(Handle handle, Instant now) {
    return holds(handle, now).stream().max(Instant::compareTo);
  }

  /** The times, not passed yet, until which exclusive jobs wait because of a restoration. */
  Set<Instant> holds(Handle handle, Instant now) {
    return handle
        .createQuery("select hold_until from restoration where hold_until > :now")
        .bind("now", now)
        .map((row, context) -> JobColumns.instant(row, "hold_until"))
        .set();
  }

  /** Lets those of the waiting jobs wait that are single instances or of a lane. */
  void holdBack(Handle handle, Collection<Long> jobs, Instant until) {
    handle
        .createUpdate(
            """
            update job_ready
            set ready_at = :until
            where job_id in (<jobs>) and ready_at < :until
              and exists (select 1 from job j where j.id = job_ready.job_id
                and j.kind <> 'MANAGER' and (j.single_name is not null or j.lane is not null))
            """)
        .bind("until", until)
        .bindList("jobs", List.copyOf(jobs))
        .execute();
  }
}
