package io.millrace.manager.queue.store;

import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.result.RowView;

/** What queue managers carry over, one row for each segment. Runs in the caller's transaction. */
public final class PacingStateTable {
  private PacingStateTable() {}

  public static Optional<PacingStateRow> find(Handle handle, String queue, String node) {
    return handle
        .createQuery("select * from pacing_state where queue = :queue and node = :node")
        .bind("queue", queue)
        .bind("node", node)
        .map(PacingStateTable::row)
        .findOne();
  }

  /** Adds or replaces the row; the caller holds the lock of the attempt that writes it. */
  public static void put(Handle handle, String queue, String node, PacingStateRow row) {
    handle
        .createUpdate(
            "insert into pacing_state (queue, node, state, decided_at, decisions, kept_gate,"
                + " kept_at) values (:queue, :node, :state, :decidedAt, :decisions, :keptGate,"
                + " :keptAt) on duplicate key update state = values(state), decided_at ="
                + " values(decided_at), decisions = values(decisions), kept_gate ="
                + " values(kept_gate), kept_at = values(kept_at)")
        .bind("queue", queue)
        .bind("node", node)
        .bind("state", row.state())
        .bind("decidedAt", row.decidedAt())
        .bind("decisions", row.decisions())
        .bind("keptGate", row.keptGate())
        .bind("keptAt", row.keptAt())
        .execute();
  }

  /** Decisions recorded since ever, by queue. */
  public static Map<String, Long> decisions(Handle handle) {
    return handle
        .createQuery("select queue, sum(decisions) as total from pacing_state group by queue")
        .map(
            (RowView row) ->
                Map.entry(row.getColumn("queue", String.class), row.getColumn("total", Long.class)))
        .stream()
        .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
  }

  private static PacingStateRow row(RowView row) {
    return new PacingStateRow(
        row.getColumn("state", String.class),
        row.getColumn("decided_at", Instant.class),
        row.getColumn("decisions", Long.class),
        row.getColumn("kept_gate", String.class),
        row.getColumn("kept_at", Instant.class));
  }
}
