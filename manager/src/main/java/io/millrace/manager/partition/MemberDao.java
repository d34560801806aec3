package io.millrace.manager.partition;

import io.millrace.api.partition.PartitionGroup.PartitionMember;
import io.millrace.platform.database.Dialect;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.List;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.Query;

/** The table {@code partition_member}. Stateless; runs in the caller's transaction. */
public final class MemberDao {
  private final Dialect dialect;

  public MemberDao(Dialect dialect) {
    this.dialect = dialect;
  }

  /** The current members and those that left recently, by name. */
  public List<MemberRow> of(Handle handle, String group) {
    return rows(
        handle
            .createQuery(
                """
                select *
                from partition_member
                where group_name = :group
                order by name
                """)
            .bind("group", group));
  }

  /** The members of all groups. */
  public List<MemberRow> all(Handle handle) {
    return rows(handle.createQuery("select * from partition_member order by group_name, name"));
  }

  /** Adds a membership, in place of an earlier one of this name. */
  public void begin(Handle handle, String group, String name, long term, Duration ttl) {
    handle
        .createUpdate(
            """
            delete from partition_member
            where group_name = :group and name = :name
            """)
        .bind("group", group)
        .bind("name", name)
        .execute();
    handle
        .createUpdate(
            """
            insert into partition_member (group_name, name, term, ttl_millis, beats, joined_at,
                heard_at)
            values (:group, :name, :term, :ttl, 0, <now>, <now>)
            """)
        .define("now", dialect.now())
        .bind("group", group)
        .bind("name", name)
        .bind("term", term)
        .bind("ttl", ttl.toMillis())
        .execute();
  }

  /** Records a heartbeat; false when the membership has ended. */
  public boolean heartbeat(Handle handle, String group, String name, long term, Duration ttl) {
    return handle
            .createUpdate(
                """
                update partition_member
                set beats = beats + 1, ttl_millis = :ttl, heard_at = <now>
                where group_name = :group and name = :name and term = :term and left_at is null
                """)
            .define("now", dialect.now())
            .bind("group", group)
            .bind("name", name)
            .bind("term", term)
            .bind("ttl", ttl.toMillis())
            .execute()
        == 1;
  }

  /** Records that a member left; false when the membership had ended. */
  public boolean leave(Handle handle, String group, String name, long term) {
    return handle
            .createUpdate(
                """
                update partition_member
                set left_at = <now>
                where group_name = :group and name = :name and term = :term and left_at is null
                """)
            .define("now", dialect.now())
            .bind("group", group)
            .bind("name", name)
            .bind("term", term)
            .execute()
        == 1;
  }

  /** Deletes a member unless it sent a heartbeat since or left; whether it was deleted. */
  public boolean lose(Handle handle, MemberRow silent) {
    return handle
            .createUpdate(
                """
                delete from partition_member
                where group_name = :group and name = :name and term = :term and beats = :beats
                    and left_at is null
                """)
            .bind("group", silent.group())
            .bind("name", silent.name())
            .bind("term", silent.term())
            .bind("beats", silent.beats())
            .execute()
        == 1;
  }

  /** Deletes members that left longer ago than this. */
  public int forget(Handle handle, Duration after) {
    return handle
        .createUpdate("delete from partition_member where left_at < <horizon>")
        .define("horizon", dialect.nowPlusMicros(":micros"))
        .bind("micros", -after.toNanos() / 1000)
        .execute();
  }

  private static List<MemberRow> rows(Query query) {
    return query
        .map(
            (row, context) ->
                new MemberRow(
                    row.getString("group_name"),
                    row.getString("name"),
                    row.getLong("term"),
                    Duration.ofMillis(row.getLong("ttl_millis")),
                    row.getLong("beats"),
                    time(row, "joined_at"),
                    time(row, "heard_at"),
                    time(row, "left_at")))
        .list();
  }

  static Instant time(ResultSet row, String column) throws SQLException {
    LocalDateTime time = row.getObject(column, LocalDateTime.class);
    return time == null ? null : time.toInstant(ZoneOffset.UTC);
  }

  /**
   * A member as stored.
   *
   * @param group its group
   * @param name its name within the group
   * @param term of this membership
   * @param ttl how long it may be silent
   * @param beats number of heartbeats so far
   * @param joinedAt by the database's clock
   * @param heardAt by the database's clock
   * @param leftAt when it left; null while it is a member
   */
  record MemberRow(
      String group,
      String name,
      long term,
      Duration ttl,
      long beats,
      Instant joinedAt,
      Instant heardAt,
      Instant leftAt) {
    public boolean isAlive() {
      return leftAt == null;
    }

    public PartitionMember view() {
      return new PartitionMember(name, term, ttl, joinedAt, heardAt);
    }
  }
}
