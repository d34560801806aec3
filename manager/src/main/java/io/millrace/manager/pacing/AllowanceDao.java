package io.millrace.manager.pacing;

import io.millrace.api.job.AttemptId;
import io.millrace.manager.job.SegmentKey;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.result.RowView;
import org.jdbi.v3.core.statement.PreparedBatch;

/**
 * The allowances of segments ({@link PlaceAllowance}). Stateless; runs in the caller's transaction,
 * which holds the lock of the queue manager's job when it writes.
 */
public final class AllowanceDao {
  private static final int CHUNK = 1_000;

  private AllowanceDao() {}

  /**
   * What the latest decision of a segment left.
   *
   * @param node the queue node that holds the segment
   * @param attempt the queue manager's attempt that decided
   * @param decidedAt by the database's clock
   * @param remaining workers that may still start
   * @param refilled workers started since the decision
   */
  public record Allowance(
      String node, AttemptId attempt, Instant decidedAt, int remaining, int refilled) {}

  /** The queues with an allowance; there are as many at most as queues are defined. */
  public static List<String> queues(Handle handle) {
    return handle
        .createQuery("select distinct queue from place_allowance where remaining > 0")
        .mapTo(String.class)
        .list();
  }

  /** The allowances of all segments of a queue, by node. */
  public static List<Allowance> find(Handle handle, String queue) {
    return handle
        .createQuery("select * from place_allowance where queue = :queue order by node")
        .bind("queue", queue)
        .map((RowView row) -> allowance(row))
        .list();
  }

  /** The allowances of all segments of these queues. */
  public static Map<SegmentKey, Allowance> find(Handle handle, Collection<String> queues) {
    return handle
        .createQuery("select * from place_allowance where queue in (<queues>)")
        .bindList("queues", List.copyOf(queues))
        .map(
            (RowView row) ->
                Map.entry(
                    new SegmentKey(
                        row.getColumn("queue", String.class), row.getColumn("node", String.class)),
                    allowance(row)))
        .stream()
        .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
  }

  /** Adds or replaces rows. */
  public static void put(Handle handle, Map<SegmentKey, Allowance> rows) {
    if (rows.isEmpty()) {
      return;
    }
    PreparedBatch batch =
        handle.prepareBatch(
            """
            insert into place_allowance (queue, node, job_id, attempt_number, decided_at, remaining,
                refilled)
            values (:queue, :node, :job, :attempt, :decidedAt, :remaining, :refilled)
            on duplicate key update job_id = values(job_id),
                attempt_number = values(attempt_number), decided_at = values(decided_at),
                remaining = values(remaining), refilled = values(refilled)
            """);
    rows.entrySet().stream()
        .sorted(Map.Entry.comparingByKey(SegmentKey.ORDER))
        .forEach(
            entry ->
                batch
                    .bind("queue", entry.getKey().queue())
                    .bind("node", entry.getKey().node())
                    .bind("job", entry.getValue().attempt().job())
                    .bind("attempt", entry.getValue().attempt().number())
                    .bind("decidedAt", entry.getValue().decidedAt())
                    .bind("remaining", entry.getValue().remaining())
                    .bind("refilled", entry.getValue().refilled())
                    .add());
    batch.execute();
  }

  /** Deletes the row of a segment whose latest decision left nothing. */
  public static void remove(Handle handle, SegmentKey segment) {
    handle
        .createUpdate("delete from place_allowance where queue = :queue and node = :node")
        .bind("queue", segment.queue())
        .bind("node", segment.node())
        .execute();
  }

  /**
   * Counts workers that were started from the allowance.
   *
   * @return whether the row was still the one of that attempt with so many left
   */
  public static boolean use(Handle handle, String queue, Allowance row, int started) {
    return handle
            .createUpdate(
                """
                update place_allowance
                set remaining = remaining - :started, refilled = refilled + :started
                where queue = :queue and node = :node and job_id = :job
                    and attempt_number = :attempt and remaining = :remaining
                """)
            .bind("queue", queue)
            .bind("node", row.node())
            .bind("job", row.attempt().job())
            .bind("attempt", row.attempt().number())
            .bind("remaining", row.remaining())
            .bind("started", started)
            .execute()
        == 1;
  }

  /**
   * Deletes some rows of segments without a decision since then: such a segment no longer exists.
   *
   * @return whether more may be left
   */
  public static boolean forgetSome(Handle handle, Instant before) {
    return handle
            .createUpdate("delete from place_allowance where decided_at < :before limit :limit")
            .bind("before", before)
            .bind("limit", CHUNK)
            .execute()
        == CHUNK;
  }

  /** Removes what there is of a deleted queue. */
  public static void remove(Handle handle, String queue) {
    handle
        .createUpdate("delete from place_allowance where queue = :queue")
        .bind("queue", queue)
        .execute();
  }

  private static Allowance allowance(RowView row) {
    return new Allowance(
        row.getColumn("node", String.class),
        new AttemptId(
            row.getColumn("job_id", Long.class), row.getColumn("attempt_number", Integer.class)),
        row.getColumn("decided_at", Instant.class),
        row.getColumn("remaining", Integer.class),
        row.getColumn("refilled", Integer.class));
  }
}
