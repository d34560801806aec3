package io.millrace.manager.pacing;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import io.millrace.api.Json;
import io.millrace.api.job.AttemptId;
import io.millrace.api.pacing.PacingDecisionView;
import io.millrace.manager.weight.WeightDao;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.result.RowView;
import org.jdbi.v3.core.statement.PreparedBatch;

/** The history of pacing decisions. Stateless; runs in the caller's transaction. */
public final class DecisionDao {
  private static final int CHUNK = 1_000;

  private DecisionDao() {}

  /** Adds decisions, by queue. */
  public static void add(Handle handle, Map<String, List<PacingDecisionView>> decisions) {
    if (decisions.isEmpty()) {
      return;
    }
    PreparedBatch batch =
        handle.prepareBatch(
            """
            insert into decision (queue, node, decided_at, job_id, attempt_number, start_count,
                policy, gate, reason, inputs)
            values (:queue, :node, :at, :job, :attempt, :start, :policy, :gate, :reason,
                :inputs)
            """);
    decisions.forEach((queue, its) -> its.forEach(one -> bind(batch, queue, one)));
    batch.execute();
  }

  private static void bind(PreparedBatch batch, String queue, PacingDecisionView decision) {
    batch
        .bind("queue", queue)
        .bind("node", decision.node())
        .bind("at", decision.at())
        .bind("job", decision.attempt().job())
        .bind("attempt", decision.attempt().number())
        .bind("start", decision.start())
        .bind("policy", decision.policy())
        .bind("gate", decision.gate())
        .bind("reason", WeightDao.shortened(decision.reason()))
        .bind("inputs", Json.write(decision.inputs()))
        .add();
  }

  /**
   * A queue's decisions, newest first.
   *
   * @param node null for all nodes
   * @param before id of the last decision of the previous page; null for the first page
   */
  public static List<PacingDecisionView> newest(
      Handle handle, String queue, String node, Long before, int limit) {
    return handle
        .createQuery(
            """
            select *
            from decision
            where queue = :queue <of_node> and id < :before
            order by id desc
            limit :limit
            """)
        .define("of_node", node == null ? "" : "and node = :node")
        .bindMap(node == null ? Map.of() : Map.of("node", node))
        .bind("queue", queue)
        .bind("before", before == null ? Long.MAX_VALUE : before)
        .bind("limit", limit)
        .map(DecisionDao::row)
        .list();
  }

  /**
   * A queue's decisions in a period, newest first.
   *
   * @param node null for all nodes
   * @param before id of the last decision of the previous page; null for the first page
   */
  public static List<PacingDecisionView> newestBetween(
      Handle handle, String queue, String node, Instant from, Instant to, Long before, int limit) {
    return handle
        .createQuery(
            """
            select *
            from decision
            where queue = :queue <of_node>
                and id < :before and decided_at >= :from and decided_at < :to
            order by id desc
            limit :limit
            """)
        .define("of_node", node == null ? "" : "and node = :node")
        .bindMap(node == null ? Map.of() : Map.of("node", node))
        .bind("queue", queue)
        .bind("from", from)
        .bind("to", to)
        .bind("before", before == null ? Long.MAX_VALUE : before)
        .bind("limit", limit)
        .map(DecisionDao::row)
        .list();
  }

  /**
   * A page of a queue's decisions in a period, oldest first.
   *
   * @param node null for all nodes
   * @param after id of the last decision of the previous page; 0 for the first page
   */
  public static List<PacingDecisionView> between(
      Handle handle, String queue, String node, Instant from, Instant to, long after, int limit) {
    return handle
        .createQuery(
            """
            select *
            from decision
            where queue = :queue <of_node>
                and id > :after and decided_at >= :from and decided_at < :to
            order by id
            limit :limit
            """)
        .define("of_node", node == null ? "" : "and node = :node")
        .bindMap(node == null ? Map.of() : Map.of("node", node))
        .bind("queue", queue)
        .bind("from", from)
        .bind("to", to)
        .bind("after", after)
        .bind("limit", limit)
        .map(DecisionDao::row)
        .list();
  }

  /**
   * Deletes some of the oldest decisions from before a time; whether more may be left. Ids rise
   * with time, so no index on the time is needed.
   */
  public static boolean forgetSome(Handle handle, Instant before) {
    List<Long> oldest =
        handle
            .createQuery("select id, decided_at from decision order by id limit :limit")
            .bind("limit", CHUNK)
            .map(
                (RowView row) ->
                    Map.entry(
                        row.getColumn("id", Long.class),
                        row.getColumn("decided_at", Instant.class)))
            .stream()
            .takeWhile(row -> row.getValue().isBefore(before))
            .map(Map.Entry::getKey)
            .toList();
    if (oldest.isEmpty()) {
      return false;
    }
    handle
        .createUpdate("delete from decision where id <= :last")
        .bind("last", oldest.get(oldest.size() - 1))
        .execute();
    return oldest.size() == CHUNK;
  }

  private static PacingDecisionView row(RowView row) {
    return new PacingDecisionView(
        row.getColumn("id", Long.class),
        row.getColumn("decided_at", Instant.class),
        row.getColumn("node", String.class),
        new AttemptId(
            row.getColumn("job_id", Long.class), row.getColumn("attempt_number", Integer.class)),
        row.getColumn("start_count", Integer.class),
        row.getColumn("policy", String.class),
        row.getColumn("gate", String.class),
        row.getColumn("reason", String.class),
        inputs(row.getColumn("inputs", String.class)));
  }

  private static Map<String, Double> inputs(String json) {
    try {
      return Json.mapper().readValue(json, new TypeReference<Map<String, Double>>() {});
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("not figures: " + json, e);
    }
  }
}
