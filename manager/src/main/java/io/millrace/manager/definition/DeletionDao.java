package io.millrace.manager.definition;

import io.millrace.api.definition.DeletionMode;
import io.millrace.api.definition.DeletionView;
import io.millrace.api.definition.DeletionView.DeletionState;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.mapper.RowMapper;
import org.jdbi.v3.core.mapper.reflect.ConstructorMapper;

/** Rows of {@code definition_deletion}. Stateless; runs in the caller's transaction. */
public final class DeletionDao {
  private static final RowMapper<DeletionRow> ROW = ConstructorMapper.of(DeletionRow.class);

  private DeletionDao() {}

  /** The latest deletion of a definition, whether it was created again or not. */
  public static Optional<DeletionRow> latest(Handle handle, String kind, String name) {
    return handle
        .createQuery(
            """
            select *
            from definition_deletion
            where kind = :kind and name = :name
            order by kind desc, name desc, version desc
            limit 1
            """)
        .bind("kind", kind)
        .bind("name", name)
        .map(ROW)
        .findOne();
  }

  /** The deletion of a version, locked until the end of the transaction. */
  public static Optional<DeletionRow> lock(Handle handle, String kind, String name, int version) {
    return handle
        .createQuery(
            """
            select *
            from definition_deletion
            where kind = :kind and name = :name and version = :version
            for update
            """)
        .bind("kind", kind)
        .bind("name", name)
        .bind("version", version)
        .map(ROW)
        .findOne();
  }

  /** Deletions of a kind that are not done, by name. */
  public static List<DeletionRow> open(Handle handle, String kind) {
    return handle
        .createQuery(
            """
            select *
            from definition_deletion
            where state in ('DELETING', 'ENDING') and kind = :kind
            order by name
            """)
        .bind("kind", kind)
        .map(ROW)
        .list();
  }

  /** The newest deletions of a kind that were done since then. */
  public static List<DeletionRow> done(Handle handle, String kind, Instant since, int limit) {
    return handle
        .createQuery(
            """
            select *
            from definition_deletion
            where state = 'DELETED' and kind = :kind and ended_at >= :since
            order by ended_at desc
            limit :limit
            """)
        .bind("kind", kind)
        .bind("since", since)
        .bind("limit", limit)
        .map(ROW)
        .list();
  }

  /** Deletions of a kind after which the definition was not created again, the newest first. */
  public static List<DeletionRow> inEffect(Handle handle, String kind, int limit) {
    return handle
        .createQuery(
            """
            select x.*
            from definition_deletion x
            where x.state = 'DELETED' and x.kind = :kind
                and not exists (
                    select 1
                    from definition d
                    where d.kind = x.kind and d.name = x.name and d.version > x.version)
            order by x.ended_at desc
            limit :limit
            """)
        .bind("kind", kind)
        .bind("limit", limit)
        .map(ROW)
        .list();
  }

  /** Whether nothing may be started for the definition any more: it is ending or deleted. */
  public static boolean ending(Handle handle, String kind, String name, int version) {
    return handle
        .createQuery(
            """
            select version
            from definition_deletion
            where kind = :kind and name = :name and version >= :version
                and state in ('ENDING', 'DELETED')
            limit 1
            """)
        .bind("kind", kind)
        .bind("name", name)
        .bind("version", version)
        .mapTo(Integer.class)
        .findOne()
        .isPresent();
  }

  public static void add(Handle handle, DeletionRow row) {
    handle
        .createUpdate(
            """
            insert into definition_deletion (kind, name, version, mode, state, said_by, said_at,
                ended_at, dropped)
            values (:kind, :name, :version, :mode, :state, :by, :at, :ended, :dropped)
            """)
        .bind("kind", row.kind())
        .bind("name", row.name())
        .bind("version", row.version())
        .bind("mode", row.mode().name())
        .bind("state", row.state().name())
        .bind("by", row.saidBy())
        .bind("at", row.saidAt())
        .bind("ended", row.endedAt())
        .bind("dropped", row.dropped())
        .execute();
  }

  /** Writes how far a locked deletion is. */
  public static void update(Handle handle, DeletionRow row) {
    handle
        .createUpdate(
            """
            update definition_deletion
            set mode = :mode, state = :state, said_by = :by, ended_at = :ended, dropped = :dropped
            where kind = :kind and name = :name and version = :version
            """)
        .bind("mode", row.mode().name())
        .bind("state", row.state().name())
        .bind("by", row.saidBy())
        .bind("ended", row.endedAt())
        .bind("dropped", row.dropped())
        .bind("kind", row.kind())
        .bind("name", row.name())
        .bind("version", row.version())
        .execute();
  }

  /**
   * A deletion of a definition.
   *
   * @param kind its kind's keyword
   * @param name its name
   * @param version that was in force
   * @param mode what becomes of its work
   * @param state how far it is
   * @param saidBy who asked for it
   * @param saidAt by the database's clock
   * @param endedAt null before it is done
   * @param dropped events that it drops
   */
  public record DeletionRow(
      String kind,
      String name,
      int version,
      DeletionMode mode,
      DeletionState state,
      String saidBy,
      Instant saidAt,
      Instant endedAt,
      long dropped) {
    /** Whether it is done. */
    public boolean done() {
      return state == DeletionState.DELETED;
    }

    /** The same, further or done; the time is that of its end. */
    public DeletionRow in(DeletionState next, Instant now) {
      Instant ended = next == DeletionState.DELETED ? now : null;
      return new DeletionRow(kind, name, version, mode, next, saidBy, saidAt, ended, dropped);
    }

    /** As it is shown. */
    public DeletionView view(List<String> waitsFor, List<String> work) {
      return new DeletionView(
          kind, name, version, mode, state, saidBy, saidAt, endedAt, dropped, waitsFor, work);
    }

    /** In an error: who deletes it, and since when. */
    String words() {
      return "by %s at %s".formatted(saidBy, saidAt);
    }
  }
}
