package io.millrace.manager.node;

import io.millrace.api.NodeStatus;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.StatementContext;

/** The queue nodes in the table {@code node}. Stateless; runs in the caller's transaction. */
public final class QueueNodeDao {
  /** Every queue node ever registered, by name. */
  public List<QueueNodeRow> list(Handle handle) {
    return handle
        .createQuery(
            """
            select n.*, (select i.withdrawn_at from node_identity i where i.id = n.id) as withdrawn_at
            from node n
            where n.kind = 'QUEUE'
            order by n.name
            """)
        .map(QueueNodeDao::row)
        .list();
  }

  /** Locks the row of the queue node of that name. */
  public Optional<QueueNodeRow> lock(Handle handle, String name) {
    return handle
        .createQuery(
            """
            select n.*, (select i.withdrawn_at from node_identity i where i.id = n.id) as withdrawn_at
            from node n
            where n.kind = 'QUEUE' and n.name = :name
            for update
            """)
        .bind("name", name)
        .map(QueueNodeDao::row)
        .findOne();
  }

  /** Records the order of operators for a node. */
  public void command(Handle handle, UUID id, NodeStatus duty, Instant until, String reason) {
    handle
        .createUpdate(
            """
            update node
            set duty = :duty, duty_until = :until, duty_reason = :reason
            where id = :id
            """)
        .bind("duty", duty.name())
        .bind("until", until)
        .bind("reason", reason)
        .bind("id", id.toString())
        .execute();
  }

  /** Marks a locked node as lost; false if it already is. */
  public boolean lose(Handle handle, UUID id, Instant now) {
    return handle
            .createUpdate(
                """
                update node
                set lost_at = :now
                where id = :id and lost_at is null
                """)
            .bind("now", now)
            .bind("id", id.toString())
            .execute()
        == 1;
  }

  private static QueueNodeRow row(ResultSet row, StatementContext context) throws SQLException {
    return new QueueNodeRow(
        NodeColumns.row(row, context),
        NodeStatus.valueOf(row.getString("duty")),
        NodeColumns.instant(row, "duty_until"),
        row.getString("duty_reason"),
        NodeColumns.instant(row, "lost_at"),
        row.getObject("withdrawn_at") != null);
  }

  /**
   * A queue node's row with the order of operators.
   *
   * @param node the row common to all kinds of nodes
   * @param duty the order
   * @param dutyUntil when that ends by itself; null for never
   * @param dutyReason its reason; null if not given
   * @param lostAt since when it is lost; null if it is not
   * @param withdrawn whether its identity was withdrawn: it is lost, whatever it still reports
   */
  record QueueNodeRow(
      NodeRow node,
      NodeStatus duty,
      Instant dutyUntil,
      String dutyReason,
      Instant lostAt,
      boolean withdrawn) {}
}
