package io.millrace.manager.node;

import io.millrace.platform.identity.NodeIdentity;
import io.millrace.platform.identity.Role;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.mapper.RowMapper;

/** The table {@code node_identity}. Stateless; runs in the caller's transaction. */
public final class IdentityDao {
  private static final RowMapper<IdentityRow> ROW =
      (row, context) ->
          new IdentityRow(
              new NodeIdentity(
                  Role.of(row.getString("role")).orElseThrow(),
                  row.getString("former_name"),
                  UUID.fromString(row.getString("id"))),
              row.getString("made_by"),
              NodeColumns.instant(row, "joined_at"),
              row.getString("name") == null,
              row.getString("withdrawn_by"),
              NodeColumns.instant(row, "withdrawn_at"));

  private IdentityDao() {}

  /**
   * A node that has joined.
   *
   * @param madeBy who created its join token
   * @param withdrawn whether its calls are refused
   * @param withdrawnBy who withdrew it; null if it is valid
   * @param withdrawnAt when; null if it is valid
   */
  public record IdentityRow(
      NodeIdentity identity,
      String madeBy,
      Instant joinedAt,
      boolean withdrawn,
      String withdrawnBy,
      Instant withdrawnAt) {}

  /** Records the identity; false if it, or one of its name, was recorded before. */
  static boolean insert(
      Handle handle, UUID id, String name, String role, String madeBy, Instant now) {
    return handle
            .createUpdate(
                """
            insert ignore into node_identity (id, name, former_name, role, made_by, joined_at)
            values (:id, :name, :name, :role, :who, :now)
            """)
            .bind("id", id.toString())
            .bind("name", name)
            .bind("role", role)
            .bind("who", madeBy)
            .bind("now", now)
            .execute()
        == 1;
  }

  static Optional<IdentityRow> find(Handle handle, UUID id) {
    return handle
        .createQuery(
            """
            select id, name, former_name, role, made_by, joined_at, withdrawn_by, withdrawn_at
            from node_identity
            where id = :id
            """)
        .bind("id", id.toString())
        .map(ROW)
        .findOne();
  }

  /** The identity that has the name; locks it. */
  static Optional<IdentityRow> lockByName(Handle handle, String name) {
    return handle
        .createQuery(
            """
            select id, name, former_name, role, made_by, joined_at, withdrawn_by, withdrawn_at
            from node_identity
            where name = :name
            for update
            """)
        .bind("name", name)
        .map(ROW)
        .findOne();
  }

  /** Identities that are valid, by name. */
  static List<IdentityRow> list(Handle handle) {
    return handle
        .createQuery(
            """
            select id, name, former_name, role, made_by, joined_at, withdrawn_by, withdrawn_at
            from node_identity
            where name is not null
            order by name
            """)
        .map(ROW)
        .list();
  }

  /** Identities that were withdrawn, the last one first, up to a number. */
  static List<IdentityRow> listWithdrawn(Handle handle, int most) {
    return handle
        .createQuery(
            """
            select id, name, former_name, role, made_by, joined_at, withdrawn_by, withdrawn_at
            from node_identity
            where name is null
            order by withdrawn_at desc, id
            limit :most
            """)
        .bind("most", most)
        .map(ROW)
        .list();
  }

  /** The ids of withdrawn identities, in order. */
  static List<UUID> withdrawn(Handle handle) {
    return handle
        .createQuery(
            """
            select id
            from node_identity
            where name is null
            order by id
            """)
        .mapTo(String.class)
        .map(UUID::fromString)
        .list();
  }

  /** Withdraws the identity for ever; its name becomes free. */
  static void withdraw(Handle handle, UUID id, String who, Instant now) {
    handle
        .createUpdate(
            """
            update node_identity
            set name = null, withdrawn_by = :who, withdrawn_at = :now
            where id = :id and name is not null
            """)
        .bind("who", who)
        .bind("now", now)
        .bind("id", id.toString())
        .execute();
  }
}
