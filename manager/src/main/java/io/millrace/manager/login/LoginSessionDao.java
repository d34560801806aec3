package io.millrace.manager.login;

import io.millrace.manager.login.LoginCodeDao.Holder;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.mapper.reflect.ConstructorMapper;

/** The table {@code login_session}. Stateless; runs in the caller's transaction. */
public final class LoginSessionDao {
  private LoginSessionDao() {}

  static void insert(Handle handle, String hash, Holder holder, Instant expiresAt) {
    handle
        .createUpdate(
            """
            insert into login_session (hash, subject, role, expires_at)
            values (:hash, :subject, :role, :expires)
            """)
        .bind("hash", hash)
        .bind("subject", holder.subject())
        .bind("role", holder.role())
        .bind("expires", expiresAt)
        .execute();
  }

  static Optional<Holder> find(Handle handle, String hash, Instant now) {
    return handle
        .createQuery(
            """
            select subject, role
            from login_session
            where hash = :hash and expires_at > :now
            """)
        .bind("hash", hash)
        .bind("now", now)
        .map(ConstructorMapper.of(Holder.class))
        .findOne();
  }

  /** How many sessions a user has. */
  static int count(Handle handle, Holder holder) {
    return handle
        .createQuery(
            """
            select count(*)
            from login_session
            where subject = :subject and role = :role
            """)
        .bind("subject", holder.subject())
        .bind("role", holder.role())
        .mapTo(Integer.class)
        .one();
  }

  /** The sessions of a user that expire first. */
  static List<String> first(Handle handle, Holder holder, int limit) {
    return handle
        .createQuery(
            """
            select hash
            from login_session
            where subject = :subject and role = :role
            order by expires_at
            limit :limit
            """)
        .bind("subject", holder.subject())
        .bind("role", holder.role())
        .bind("limit", limit)
        .mapTo(String.class)
        .list();
  }

  static void delete(Handle handle, String hash) {
    handle
        .createUpdate("delete from login_session where hash = :hash")
        .bind("hash", hash)
        .execute();
  }

  static void deleteExpired(Handle handle, Instant now) {
    handle
        .createUpdate("delete from login_session where expires_at <= :now")
        .bind("now", now)
        .execute();
  }
}
