package io.millrace.manager.weight;

import io.millrace.api.weight.BalancingKind;
import io.millrace.api.weight.WeightsView.WeightChange;
import java.time.Instant;
import java.util.List;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.result.RowView;

/** Every version of every weight row. Stateless; runs in the caller's transaction. */
public final class WeightHistoryDao {
  private static final int CHUNK = 1_000;

  private WeightHistoryDao() {}

  /** Adds a version; false when the row had one of that number already. */
  public static boolean add(Handle handle, WeightChange change) {
    return handle
            .createUpdate(
                """
                insert ignore into weight_history (queue, version, changed_at, points, kind, reason)
                values (:queue, :version, :at, :points, :kind, :reason)
                """)
            .bind("queue", change.queue())
            .bind("version", change.version())
            .bind("at", change.at())
            .bind("points", WeightDao.json(change.points()))
            .bind("kind", change.kind().name())
            .bind("reason", Reasons.shortened(change.reason()))
            .execute()
        == 1;
  }

  /** The version in force at that time and all that followed it, oldest first. */
  public static List<WeightChange> since(Handle handle, String queue, Instant since) {
    return handle
        .createQuery(
            """
            select *
            from weight_history
            where queue = :queue and version >= coalesce((select max(version) from
                weight_history where queue = :queue and changed_at <= :since), 0)
            order by version
            """)
        .bind("queue", queue)
        .bind("since", since)
        .map(WeightHistoryDao::row)
        .list();
  }

  /**
   * Forgets some versions from before the given time, never the one in force; call it until it says
   * that none was left.
   */
  public static boolean forgetSome(Handle handle, Instant before) {
    return handle
            .createUpdate(
                """
                delete from weight_history
                where changed_at < :before and not exists (select 1 from queue_weight where
                    queue_weight.queue = weight_history.queue
                    and queue_weight.version = weight_history.version)
                limit
                """
                    + CHUNK)
            .bind("before", before)
            .execute()
        == CHUNK;
  }

  private static WeightChange row(RowView row) {
    return new WeightChange(
        row.getColumn("queue", String.class),
        row.getColumn("version", Long.class),
        row.getColumn("changed_at", Instant.class),
        WeightDao.points(row.getColumn("points", String.class)),
        BalancingKind.valueOf(row.getColumn("kind", String.class)),
        row.getColumn("reason", String.class));
  }

  /** Fits words for people into their columns. */
  public static final class Reasons {
    private static final int LONGEST = 2_000;

    private Reasons() {}

    public static String shortened(String reason) {
      return reason == null ? "" : reason.substring(0, Math.min(reason.length(), LONGEST));
    }
  }
}
