package io.millrace.manager.definition;

import java.sql.SQLIntegrityConstraintViolationException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.result.RowView;

/**
 * Versions of definitions. The version is part of the key, so that of two who add the same one only
 * the first succeeds. Stateless; runs in the caller's transaction.
 */
public final class DefinitionDao {
  private static final String COLUMNS = "d.kind, d.name, d.version, d.body, d.author, d.applied_at";
  private static final String ONE =
      "select " + COLUMNS + " from definition d where d.kind = :kind and d.name = :name";

  private DefinitionDao() {}

  /** The versions in force of every definition, by kind and name. */
  public static List<DefinitionRow> inForce(Handle handle) {
    return handle
        // Older versions are skipped in the index, however many there are.
        .createQuery(
            "select "
                + COLUMNS
                + " from (select kind, name, max(version) as version from definition group by kind,"
                + " name) l join definition d on d.kind = l.kind and d.name = l.name and d.version"
                + " = l.version order by d.kind, d.name")
        .map(DefinitionDao::row)
        .list();
  }

  /** The version in force of one definition. */
  public static Optional<DefinitionRow> inForce(Handle handle, String kind, String name) {
    return handle
        .createQuery(ONE + " order by d.kind desc, d.name desc, d.version desc limit 1")
        .bind("kind", kind)
        .bind("name", name)
        .map(DefinitionDao::row)
        .findOne();
  }

  /** All versions of one definition, oldest first. */
  public static List<DefinitionRow> versions(Handle handle, String kind, String name) {
    return handle
        .createQuery(ONE + " order by d.version")
        .bind("kind", kind)
        .bind("name", name)
        .map(DefinitionDao::row)
        .list();
  }

  /** One version of one definition. */
  public static Optional<DefinitionRow> version(
      Handle handle, String kind, String name, int version) {
    return handle
        .createQuery(ONE + " and d.version = :version")
        .bind("kind", kind)
        .bind("name", name)
        .bind("version", version)
        .map(DefinitionDao::row)
        .findOne();
  }

  /** Adds a version; a duplicate key when somebody else added it first. */
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

  /** Whether {@link #add} failed because somebody else had added the version. */
  public static boolean isDuplicate(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof SQLIntegrityConstraintViolationException) {
        return true;
      }
    }
    return false;
  }

  private static DefinitionRow row(RowView row) {
    return new DefinitionRow(
        row.getColumn("kind", String.class),
        row.getColumn("name", String.class),
        row.getColumn("version", Integer.class),
        row.getColumn("body", String.class),
        row.getColumn("author", String.class),
        row.getColumn("applied_at", Instant.class));
  }

  /**
   * One version of one definition.
   *
   * @param kind its kind's word
   * @param name its name
   * @param version from 1
   * @param body canonical JSON
   * @param author who applied it
   * @param appliedAt by the database's clock
   */
  public record DefinitionRow(
      String kind, String name, int version, String body, String author, Instant appliedAt) {}
}
