package io.millrace.manager.login;

import java.time.Instant;
import java.util.Optional;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.result.RowView;

/** Login codes by their hash. Stateless; runs in the caller's transaction. */
public final class LoginCodeDao {
  /**
   * The person that a code is for.
   *
   * @param subject the principal's name
   * @param role its role's name
   */
  public record Holder(String subject, String role) {}

  private LoginCodeDao() {}

  /** Adds a code and deletes expired ones. */
  public static void add(
      Handle handle, String hash, Holder holder, Instant now, Instant expiresAt) {
    handle
        .createUpdate("delete from login_code where expires_at <= :now")
        .bind("now", now)
        .execute();
    handle
        .createUpdate(
            """
            insert into login_code (code_hash, subject, role, expires_at)
            values (:hash, :subject, :role, :expiresAt)
            """)
        .bind("hash", hash)
        .bind("subject", holder.subject())
        .bind("role", holder.role())
        .bind("expiresAt", expiresAt)
        .execute();
  }

  /** Consumes a code; empty when it is unknown, expired or already used. */
  public static Optional<Holder> take(Handle handle, String hash, Instant now) {
    Optional<Holder> holder =
        handle
            .createQuery(
                """
                select subject, role
                from login_code
                where code_hash = :hash and expires_at > :now
                """)
            .bind("hash", hash)
            .bind("now", now)
            .map(
                (RowView row) ->
                    new Holder(
                        row.getColumn("subject", String.class),
                        row.getColumn("role", String.class)))
            .findOne();
    int taken =
        handle
            .createUpdate("delete from login_code where code_hash = :hash")
            .bind("hash", hash)
            .execute();
    return taken == 1 ? holder : Optional.empty();
  }
}
