package io.millrace.manager.node;

import io.millrace.api.node.JoinToken.JoinTokenRequest;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.mapper.reflect.ConstructorMapper;

/** The table {@code join_token}. Stateless; runs in the caller's transaction. */
public final class JoinTokenDao {
  /**
   * A join token.
   *
   * @param role the role of the machine that may join
   * @param madeBy who created the token
   * @param usedAt null if it was not used
   * @param usedBy name of the machine that joined; null if it was not used
   */
  public record Row(String role, String madeBy, Instant expiresAt, Instant usedAt, String usedBy) {}

  /**
   * What a join token is good for.
   *
   * @param namePattern the names that may join; null for any
   * @param takesOver whether a name in use is taken over
   * @param nodeId the identity of the machine that joined; null if it was not used
   * @param keyHash SHA-256 of that machine's public key; null if it was not used
   */
  public record Terms(String namePattern, boolean takesOver, UUID nodeId, String keyHash) {
    /** Those of tokens that an earlier version made. */
    static final Terms ANY_NAME = new Terms(null, false, null, null);
  }

  public void insert(
      Handle handle, String hash, JoinTokenRequest request, String actor, Instant expiresAt) {
    handle
        .createUpdate(
            """
            insert into join_token (hash, role, made_by, expires_at)
            values (:hash, :role, :who, :expires)
            """)
        .bind("hash", hash)
        .bind("role", request.role())
        .bind("who", actor)
        .bind("expires", expiresAt)
        .execute();
    handle
        .createUpdate(
            """
            insert into join_token_terms (hash, name_pattern, takes_over, expires_at)
            values (:hash, :pattern, :takesOver, :expires)
            """)
        .bind("hash", hash)
        .bind("pattern", request.name())
        .bind("takesOver", request.replace())
        .bind("expires", expiresAt)
        .execute();
  }

  /** Locks the token, so that it is used only once. */
  public Optional<Row> lock(Handle handle, String hash) {
    return handle
        .createQuery(
            """
            select role, made_by, expires_at, used_at, used_by
            from join_token
            where hash = :hash
            for update
            """)
        .bind("hash", hash)
        .map(ConstructorMapper.of(Row.class))
        .findOne();
  }

  /** The terms of a token that is locked. */
  public Terms terms(Handle handle, String hash) {
    return handle
        .createQuery(
            """
            select name_pattern, takes_over, node_id, key_hash
            from join_token_terms
            where hash = :hash
            """)
        .bind("hash", hash)
        .map(
            (row, context) ->
                new Terms(
                    row.getString("name_pattern"),
                    row.getBoolean("takes_over"),
                    Optional.ofNullable(row.getString("node_id"))
                        .map(UUID::fromString)
                        .orElse(null),
                    row.getString("key_hash")))
        .findOne()
        .orElse(Terms.ANY_NAME);
  }

  /** Records which machine has used the token. */
  public void use(Handle handle, String hash, String name, UUID node, String keyHash, Instant now) {
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
    handle
        .createUpdate(
            """
            update join_token_terms
            set node_id = :node, key_hash = :key
            where hash = :hash
            """)
        .bind("node", node.toString())
        .bind("key", keyHash)
        .bind("hash", hash)
        .execute();
  }

  /** Deletes tokens, used or not, that expired before that time. */
  public void deleteExpired(Handle handle, Instant before) {
    handle
        .createUpdate("delete from join_token_terms where expires_at < :before")
        .bind("before", before)
        .execute();
    handle
        .createUpdate("delete from join_token where expires_at < :before")
        .bind("before", before)
        .execute();
  }
}
