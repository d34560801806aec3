package io.millrace.manager.definition;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.api.Json;
import java.sql.SQLIntegrityConstraintViolationException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.mapper.RowMapper;
import org.jdbi.v3.core.mapper.reflect.ConstructorMapper;

/**
 * Versions of definitions. The version is part of the key, so that only one of two concurrent
 * writers can add it. Stateless; runs in the caller's transaction.
 */
public final class DefinitionDao {
  private static final RowMapper<DefinitionRow> ROW = ConstructorMapper.of(DefinitionRow.class);

  private DefinitionDao() {}

  /** The versions in force of every definition, by kind and name. */
  public static List<DefinitionRow> inForce(Handle handle) {
    return handle
        // Older versions are skipped in the index, however many there are.
        .createQuery(
            """
            select d.*
            from (
                select kind, name, max(version) as version
                from definition
                group by kind, name
            ) l
            join definition d on d.kind = l.kind and d.name = l.name and d.version = l.version
            where not exists (
                select 1
                from definition_deletion x
                where x.kind = d.kind and x.name = d.name and x.version = d.version
                    and x.state = 'DELETED')
            order by d.kind, d.name
            """)
        .map(ROW)
        .list();
  }

  /** The version in force of one definition; empty if it was deleted. */
  public static Optional<DefinitionRow> inForce(Handle handle, String kind, String name) {
    return handle
        .createQuery(
            """
            select *
            from (
                select *
                from definition
                where kind = :kind and name = :name
                order by kind desc, name desc, version desc
                limit 1
            ) d
            where not exists (
                select 1
                from definition_deletion x
                where x.kind = d.kind and x.name = d.name and x.version = d.version
                    and x.state = 'DELETED')
            """)
        .bind("kind", kind)
        .bind("name", name)
        .map(ROW)
        .findOne();
  }

  /** The newest version of one definition, in force or deleted. */
  public static Optional<DefinitionRow> newest(Handle handle, String kind, String name) {
    return handle
        .createQuery(
            """
            select *
            from definition
            where kind = :kind and name = :name
            order by kind desc, name desc, version desc
            limit 1
            """)
        .bind("kind", kind)
        .bind("name", name)
        .map(ROW)
        .findOne();
  }

  /**
   * The same, locked until the end of the transaction: whoever adds a version or begins a deletion
   * holds it, so that neither overlooks the other.
   */
  public static Optional<DefinitionRow> lockNewest(Handle handle, String kind, String name) {
    return handle
        .createQuery(
            """
            select *
            from definition
            where kind = :kind and name = :name
            order by kind desc, name desc, version desc
            limit 1
            for update
            """)
        .bind("kind", kind)
        .bind("name", name)
        .map(ROW)
        .findOne();
  }

  /** The next versions of one definition after the given one, oldest first. */
  public static List<DefinitionRow> versions(
      Handle handle, String kind, String name, int after, int limit) {
    return handle
        .createQuery(
            """
            select *
            from definition
            where kind = :kind and name = :name and version > :after
            order by version
            limit :limit
            """)
        .bind("kind", kind)
        .bind("name", name)
        .bind("after", after)
        .bind("limit", limit)
        .map(ROW)
        .list();
  }

  /** The newest version of one definition before the given one; numbers may be left out. */
  static Optional<DefinitionRow> before(Handle handle, String kind, String name, int version) {
    return handle
        .createQuery(
            """
            select *
            from definition
            where kind = :kind and name = :name and version < :version
            order by kind desc, name desc, version desc
            limit 1
            """)
        .bind("kind", kind)
        .bind("name", name)
        .bind("version", version)
        .map(ROW)
        .findOne();
  }

  /** One version of one definition. */
  public static Optional<DefinitionRow> version(
      Handle handle, String kind, String name, int version) {
    return handle
        .createQuery(
            """
            select *
            from definition
            where kind = :kind and name = :name and version = :version
            """)
        .bind("kind", kind)
        .bind("name", name)
        .bind("version", version)
        .map(ROW)
        .findOne();
  }

  /** Adds a version; fails with a duplicate key when it was added concurrently. */
  public static void add(Handle handle, DefinitionRow row) {
    handle
        .createUpdate(
            """
            insert into definition (kind, name, version, body, author, applied_at)
            values (:kind, :name, :version, :body, :author, :appliedAt)
            """)
        .bind("kind", row.kind())
        .bind("name", row.name())
        .bind("version", row.version())
        .bind("body", row.body())
        .bind("author", row.author())
        .bind("appliedAt", row.appliedAt())
        .execute();
  }

  /** Whether {@link #add} failed because the version was added concurrently. */
  public static boolean isDuplicate(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof SQLIntegrityConstraintViolationException) {
        return true;
      }
    }
    return false;
  }

  /**
   * One version of one definition.
   *
   * @param kind name of its kind
   * @param name its name
   * @param version from 1
   * @param body canonical JSON
   * @param author who applied it
   * @param appliedAt by the database's clock
   */
  public record DefinitionRow(
      String kind, String name, int version, String body, String author, Instant appliedAt) {
    /** The same without the values of environment variables. */
    DefinitionRow masked() {
      JsonNode fields = Json.read(body, JsonNode.class);
      SecretMask.apply(fields);
      return new DefinitionRow(kind, name, version, Json.write(fields), author, appliedAt);
    }
  }
}
