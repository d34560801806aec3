package io.millrace.manager.pacing;

import io.millrace.manager.job.SegmentKey;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.mapper.reflect.ConstructorMapper;
import org.jdbi.v3.core.result.RowView;
import org.jdbi.v3.core.statement.PreparedBatch;

/** The state of queue managers, one row per segment. Runs in the caller's transaction. */
public final class PacingStateDao {
  private static final int CHUNK = 1_000;

  private PacingStateDao() {}

  /** The rows of all segments of these queues. */
  public static Map<SegmentKey, PacingStateRow> find(Handle handle, Collection<String> queues) {
    return handle
        .createQuery("select * from pacing_state where queue in (<queues>)")
        .bindList("queues", List.copyOf(queues))
        .map((RowView row) -> Map.entry(segment(row), row(row)))
        .stream()
        .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
  }

  /** Adds or replaces rows; the caller holds the locks of the attempts that write them. */
  public static void put(Handle handle, Map<SegmentKey, PacingStateRow> rows) {
    PreparedBatch batch =
        handle.prepareBatch(
            """
            insert into pacing_state (queue, node, state, decided_at, decisions, kept_gate,
                kept_at, unmet, unmet_since)
            values (:queue, :node, :state, :decidedAt, :decisions, :keptGate, :keptAt, :unmet,
                :unmetSince)
            on duplicate key update state = values(state), decided_at = values(decided_at),
                decisions = values(decisions), kept_gate = values(kept_gate),
                kept_at = values(kept_at), unmet = values(unmet),
                unmet_since = values(unmet_since)
            """);
    rows.entrySet().stream()
        .sorted(Map.Entry.comparingByKey(SegmentKey.ORDER))
        .forEach(entry -> bind(batch, entry.getKey(), entry.getValue()));
    batch.execute();
  }

  private static void bind(PreparedBatch batch, SegmentKey segment, PacingStateRow row) {
    batch
        .bind("queue", segment.queue())
        .bind("node", segment.node())
        .bind("state", row.state())
        .bind("decidedAt", row.decidedAt())
        .bind("decisions", row.decisions())
        .bind("keptGate", row.keptGate())
        .bind("keptAt", row.keptAt())
        .bind("unmet", row.unmet())
        .bind("unmetSince", row.unmetSince())
        .add();
  }

  /**
   * A segment that was kept below its demand by maxWorkers at its last decision.
   *
   * @param node the queue node that holds it
   * @param unmet workers that it could not start
   * @param since since when it has had unmet demand without getting a worker
   */
  public record Lacking(String node, int unmet, Instant since) {}

  /** The segments of a queue with unmet demand, by a decision no older than this. */
  public static List<Lacking> lacking(Handle handle, String queue, Instant decidedSince) {
    return handle
        .createQuery(
            """
            select node, unmet, unmet_since as since
            from pacing_state
            where queue = :queue and unmet > 0 and decided_at >= :since
            """)
        .bind("queue", queue)
        .bind("since", decidedSince)
        .map(ConstructorMapper.of(Lacking.class))
        .list();
  }

  /** Counts workers that a segment got after its decision, so that the next place is another's. */
  public static void served(Handle handle, String queue, String node, int workers, Instant now) {
    handle
        .createUpdate(
            """
            update pacing_state
            set unmet = greatest(0, unmet - :workers), unmet_since = :now
            where queue = :queue and node = :node and unmet > 0
            """)
        .bind("queue", queue)
        .bind("node", node)
        .bind("workers", workers)
        .bind("now", now)
        .execute();
  }

  /** Total number of decisions, by queue. */
  public static Map<String, Long> decisions(Handle handle) {
    return handle
        .createQuery(
            """
            select queue, sum(decisions) as total
            from pacing_state
            group by queue
            """)
        .map(
            (RowView row) ->
                Map.entry(row.getColumn("queue", String.class), row.getColumn("total", Long.class)))
        .stream()
        .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
  }

  /**
   * Deletes some rows of segments without a decision since then: such a segment no longer exists.
   *
   * @return whether more may be left
   */
  public static boolean forgetSome(Handle handle, Instant before) {
    return handle
            .createUpdate("delete from pacing_state where decided_at < :before limit :limit")
            .bind("before", before)
            .bind("limit", CHUNK)
            .execute()
        == CHUNK;
  }

  /** Removes what there is of a deleted queue. */
  public static void remove(Handle handle, String queue) {
    handle
        .createUpdate("delete from pacing_state where queue = :queue")
        .bind("queue", queue)
        .execute();
  }

  private static SegmentKey segment(RowView row) {
    return new SegmentKey(
        row.getColumn("queue", String.class), row.getColumn("node", String.class));
  }

  private static PacingStateRow row(RowView row) {
    return new PacingStateRow(
        row.getColumn("state", String.class),
        row.getColumn("decided_at", Instant.class),
        row.getColumn("decisions", Long.class),
        row.getColumn("kept_gate", String.class),
        row.getColumn("kept_at", Instant.class),
        row.getColumn("unmet", Integer.class),
        row.getColumn("unmet_since", Instant.class));
  }

  /**
   * What one segment's queue manager recorded last.
   *
   * @param state state of its policy, as JSON
   * @param decidedAt when, by the database's clock
   * @param decisions total number of decisions
   * @param keptGate the gate of the last decision in the history
   * @param keptAt when that was
   * @param unmet workers that maxWorkers kept it from starting at its last decision
   * @param unmetSince since when it has had unmet demand without getting a worker; null for none
   */
  record PacingStateRow(
      String state,
      Instant decidedAt,
      long decisions,
      String keptGate,
      Instant keptAt,
      int unmet,
      Instant unmetSince) {}
}
