package io.millrace.manager.partition;

import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jdbi.v3.core.Handle;

/**
 * The table {@code partition_group}, whose rows order all changes of a group. Stateless; works in
 * its caller's transaction.
 */
public final class GroupDao {
  /** Makes the group if it is new. */
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
   * Locks a group until the transaction ends, so that nobody comes or goes meanwhile; the first
   * statement of whatever reads or changes its members.
   *
   * @return its revision; empty when nobody has ever joined
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

  /** A group's revision as it stands; empty when nobody has ever joined. */
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
