package io.millrace.manager.partition;

import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jdbi.v3.core.Handle;

/**
 * The table {@code partition_group}, whose rows serialize all changes of a group. Stateless; runs
 * in the caller's transaction.
 */
public final class GroupDao {
  /** How many groups there are. */
  public int count(Handle handle) {
    return handle.createQuery("select count(*) from partition_group").mapTo(Integer.class).one();
  }

  /** Creates the group unless it exists. */
  public void ensure(Handle handle, String group) {
    handle
        .createUpdate(
            """
            insert ignore into partition_group (name, revision)
            values (:name, 0)
            """)
        .bind("name", group)
        .execute();
  }

  /** The next revision; the group is locked until the transaction ends. */
  public long advance(Handle handle, String group) {
    handle
        .createUpdate(
            """
            update partition_group
            set revision = revision + 1
            where name = :name
            """)
        .bind("name", group)
        .execute();
    return lock(handle, group).orElseThrow();
  }

  /**
   * Locks a group until the transaction ends, so that its members do not change; the first
   * statement of everything that reads or changes its members.
   *
   * @return its revision; empty if the group does not exist
   */
  public Optional<Long> lock(Handle handle, String group) {
    return handle
        .createQuery(
            """
            select revision
            from partition_group
            where name = :name
            for update
            """)
        .bind("name", group)
        .mapTo(Long.class)
        .findOne();
  }

  /** A group's current revision; empty if the group does not exist. */
  public Optional<Long> revision(Handle handle, String group) {
    return handle
        .createQuery("select revision from partition_group where name = :name")
        .bind("name", group)
        .mapTo(Long.class)
        .findOne();
  }

  /** All revisions by group. */
  public Map<String, Long> revisions(Handle handle) {
    Map<String, Long> revisions = new TreeMap<>();
    handle
        .createQuery("select name, revision from partition_group")
        .map((row, context) -> Map.entry(row.getString("name"), row.getLong("revision")))
        .forEach(entry -> revisions.put(entry.getKey(), entry.getValue()));
    return revisions;
  }
}
