package io.millrace.manager.node;

import io.millrace.api.node.JoinToken.JoinTokenRequest;
import java.time.Instant;
import java.util.Optional;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.mapper.reflect.ConstructorMapper;

/** The table {@code join_token}. Stateless; runs in the caller's transaction. */
public final class JoinTokenDao {
  /**
   * A join token.
   *
   * @param role the role of the machine that may join
   * @param madeBy who created the token
   * @param namePattern the names that may join; null for any
   * @param takesOver whether a name in use is taken over
   * @param usedAt null if it was not used
   * @param usedBy name of the machine that joined; null if it was not used
   */
  public record Row(
      String role,
      String madeBy,
      String namePattern,
      boolean takesOver,
      Instant expiresAt,
      Instant usedAt,
      String usedBy) {}

  public void insert(
      Handle handle, String hash, JoinTokenRequest request, String actor, Instant expiresAt) {
    handle
        .createUpdate(
            """
            insert into join_token (hash, role, name_pattern, takes_over, made_by, expires_at)
            values (:hash, :role, :pattern, :takesOver, :who, :expires)
            """)
        .bind("hash", hash)
        .bind("role", request.role())
        .bind("pattern", request.name())
        .bind("takesOver", request.replace())
        .bind("who", actor)
        .bind("expires", expiresAt)
        .execute();
  }

  /** Locks the token, so that it is used only once. */
  public Optional<Row> lock(Handle handle, String hash) {
    return handle
        .createQuery(
            """
            select role, made_by, name_pattern, takes_over, expires_at, used_at, used_by
            from join_token
            where hash = :hash
            for update
            """)
        .bind("hash", hash)
        .map(ConstructorMapper.of(Row.class))
        .findOne();
  }

  public void use(Handle handle, String hash, String name, Instant now) {
    handle
        .createUpdate(
            """
            update join_token
            set used_at = :now, used_by = :name
            where hash = :hash
            """)
        .bind("now", now)
        .bind("name", name)
        .bind("hash", hash)
        .execute();
  }

  /** Deletes tokens, used or not, that expired before that time. */
  public void deleteExpired(Handle handle, Instant before) {
    handle
        .createUpdate("delete from join_token where expires_at < :before")
        .bind("before", before)
        .execute();
  }
}
