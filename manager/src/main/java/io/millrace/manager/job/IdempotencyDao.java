package io.millrace.manager.job;

import java.time.Instant;
import org.jdbi.v3.core.Handle;

/** The table {@code idempotency_key}. Stateless. */
public final class IdempotencyDao {
  /**
   * What came with a key before.
   *
   * @param fingerprint of what was submitted
   * @param job the job that it became
   */
  public record Use(String fingerprint, long job) {}

  /** Takes the key; false when it was used before. Waits for somebody who takes it now. */
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

  /** Notes which job a key that was taken has become. */
  public void become(Handle handle, String owner, String key, long job) {
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

  /** What came with the key before; it is kept for another while. */
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
            select fingerprint, job_id
            from idempotency_key
            where owner = :owner and key_hash = :key
            """)
        .bind("owner", owner)
        .bind("key", key)
        .map((row, context) -> new Use(row.getString("fingerprint"), row.getLong("job_id")))
        .one();
  }

  /** Deletes keys last used before; returns how many. */
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
