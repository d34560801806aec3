package io.millrace.manager.partition;

import io.millrace.api.partition.PartitionGroup.PartitionCycle;
import io.millrace.platform.database.Dialect;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.result.ResultIterable;
import org.jdbi.v3.core.statement.Query;

/**
 * The table {@code partition_cycle}: the latest cycles of each group. Stateless; runs in the
 * caller's transaction, which holds the group's lock for changes.
 */
public final class CycleDao {
  private static final int KEPT = 10;
  private final Dialect dialect;

  public CycleDao(Dialect dialect) {
    this.dialect = dialect;
  }

  /** The latest cycle of a group. */
  public Optional<CycleRow> latest(Handle handle, String group) {
    return rows(handle
            .createQuery(
                """
                select *
                from partition_cycle
                where group_name = :group
                order by number desc
                limit 1
                """)
            .bind("group", group))
        .findFirst();
  }

  /** The recorded cycles of a group, the latest first. */
  public List<CycleRow> of(Handle handle, String group) {
    return rows(handle
            .createQuery(
                """
                select *
                from partition_cycle
                where group_name = :group
                order by number desc
                """)
            .bind("group", group))
        .list();
  }

  /** The recorded cycles of all groups. */
  public List<CycleRow> all(Handle handle) {
    return rows(handle.createQuery(
            "select * from partition_cycle order by group_name, number desc"))
        .list();
  }

  /** Records a new cycle, and deletes the oldest. */
  public void begin(Handle handle, CycleRow cycle) {
    handle
        .createUpdate(
            """
            insert into partition_cycle (group_name, number, began_at, interval_millis,
                begin_revision, revision, mark, total, done, again)
            values (:group, :number, :began, :interval, :begin, :revision, :mark, :total, :done,
                :again)
            """)
        .bind("group", cycle.group())
        .bind("number", cycle.number())
        .bind("began", cycle.began())
        .bind("interval", cycle.interval().toMillis())
        .bind("begin", cycle.beginRevision())
        .bind("revision", cycle.revision())
        .bind("mark", cycle.mark())
        .bind("total", cycle.total())
        .bind("done", cycle.done())
        .bind("again", cycle.again())
        .execute();
    handle
        .createUpdate(
            """
            delete from partition_cycle
            where group_name = :group and number <= :number
            """)
        .bind("group", cycle.group())
        .bind("number", cycle.number() - KEPT)
        .execute();
  }

  /** Adds to the number of polled resources of a cycle. */
  public void record(Handle handle, String group, long number, int recorded) {
    handle
        .createUpdate(
            """
            update partition_cycle
            set done = done + :recorded
            where group_name = :group and number = :number
            """)
        .bind("group", group)
        .bind("number", number)
        .bind("recorded", recorded)
        .execute();
  }

  /** Updates a cycle after its members or resources have changed. */
  public void settle(Handle handle, CycleRow cycle) {
    handle
        .createUpdate(
            """
            update partition_cycle
            set revision = :revision, total = :total, again = :again
            where group_name = :group and number = :number
            """)
        .bind("group", cycle.group())
        .bind("number", cycle.number())
        .bind("revision", cycle.revision())
        .bind("total", cycle.total())
        .bind("again", cycle.again())
        .execute();
  }

  /** Groups whose last cycle began longer ago than this. */
  public List<String> abandoned(Handle handle, Duration after) {
    return handle
        .createQuery(
            """
            select group_name
            from partition_cycle
            group by group_name
            having max(began_at) < <horizon>
            """)
        .define("horizon", dialect.nowPlusMicros(":micros"))
        .bind("micros", -after.toNanos() / 1000)
        .mapTo(String.class)
        .list();
  }

  /** Deletes the cycles of a group. */
  public void forget(Handle handle, String group) {
    handle
        .createUpdate("delete from partition_cycle where group_name = :group")
        .bind("group", group)
        .execute();
  }

  private static ResultIterable<CycleRow> rows(Query query) {
    return query.map(
        (row, context) ->
            new CycleRow(
                row.getString("group_name"),
                row.getLong("number"),
                MemberDao.time(row, "began_at"),
                Duration.ofMillis(row.getLong("interval_millis")),
                row.getLong("begin_revision"),
                row.getLong("revision"),
                row.getLong("mark"),
                row.getLong("total"),
                row.getLong("done"),
                row.getLong("again")));
  }

  /**
   * A cycle as stored.
   *
   * @param group its group
   * @param number counts the group's cycles
   * @param began a multiple of the interval, by the database's clock
   * @param interval its length
   * @param beginRevision the group's revision at the begin: the members of that time share the
   *     cycle
   * @param revision the group's revision for which the resources were last assigned
   * @param mark fingerprint of the list of resources at the begin
   * @param total resources
   * @param done polled resources
   * @param again resources that were reassigned to a second member
   */
  @RecordBuilder
  record CycleRow(
      String group,
      long number,
      Instant began,
      Duration interval,
      long beginRevision,
      long revision,
      long mark,
      long total,
      long done,
      long again)
      implements CycleDaoCycleRowBuilder.With {

    public PartitionCycle view() {
      return new PartitionCycle(number, began, interval, total, done, again);
    }

    /** With additional resources. */
    public CycleRow listed(int more) {
      return withTotal(total + more);
    }

    /** With resources reassigned for a revision, some of them to be polled again. */
    public CycleRow settled(long at, int released) {
      return with(copy -> copy.revision(at).again(again + released));
    }
  }
}
