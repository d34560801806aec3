package io.millrace.manager.job;

import java.time.Instant;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.mapper.reflect.ConstructorMapper;

/** The table {@code idempotency_key}. Stateless. */
public final class IdempotencyDao {
  /**
   * The earlier use of a key.
   *
   * @param fingerprint of the specification that was submitted
   * @param job the job that was created
   */
  public record Use(String fingerprint, long job) {}

  /** Takes the key; false if it was used before. Waits for a concurrent taker. */
  public boolean take(Handle handle, String owner, String key, String fingerprint, Instant now) {
    return handle
            .createUpdate(
                """
                insert ignore into idempotency_key (owner, key_hash, fingerprint, job_id, used_at)
                values (:owner, :key, :fingerprint, 0, :now)
                """)
            .bind("owner", owner)
            .bind("key", key)
            .bind("fingerprint", fingerprint)
            .bind("now", now)
            .execute()
        == 1;
  }

  /** Records the job that was created for a taken key. */
  public void setJob(Handle handle, String owner, String key, long job) {
    handle
        .createUpdate(
            """
            update idempotency_key
            set job_id = :job
            where owner = :owner and key_hash = :key
            """)
        .bind("job", job)
        .bind("owner", owner)
        .bind("key", key)
        .execute();
  }

  /** The earlier use of the key, whose retention starts again. */
  public Use use(Handle handle, String owner, String key, Instant now) {
    handle
        .createUpdate(
            """
            update idempotency_key
            set used_at = :now
            where owner = :owner and key_hash = :key
            """)
        .bind("now", now)
        .bind("owner", owner)
        .bind("key", key)
        .execute();
    return handle
        .createQuery(
            """
            select fingerprint, job_id as job
            from idempotency_key
            where owner = :owner and key_hash = :key
            """)
        .bind("owner", owner)
        .bind("key", key)
        .map(ConstructorMapper.of(Use.class))
        .one();
  }

  /** Deletes keys last used before that time; returns how many. */
  public int deleteUsedBefore(Handle handle, Instant before, int limit) {
    return handle
        .createUpdate(
            """
            delete from idempotency_key
            where used_at < :before
            limit :limit
            """)
        .bind("before", before)
        .bind("limit", limit)
        .execute();
  }
}
