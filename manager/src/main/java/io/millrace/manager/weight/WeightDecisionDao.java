package io.millrace.manager.weight;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.NullNode;
import io.millrace.api.Json;
import io.millrace.api.weight.BalancingDecisionView;
import io.millrace.api.weight.BalancingKind;
import io.millrace.api.weight.MoveRequest.WeightMove;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.result.RowView;
import org.jdbi.v3.core.statement.PreparedBatch;

/**
 * The history of decisions about weight, with their moves. Stateless; runs in the caller's
 * transaction.
 */
public final class WeightDecisionDao {
  private static final int CHUNK = 500;

  private static final String OF_QUEUE =
      """
      and 0 < (
          select count(*)
          from balancing_move m
          where m.id = d.id and m.queue = :queue)
      """;

  private static final String OF_NODE =
      """
      and (d.node = :node
          or 0 < (
              select count(*)
              from balancing_move m
              where m.id = d.id and (m.giver = :node or m.receiver = :node)))
      """;

  private WeightDecisionDao() {}

  /**
   * Adds a decision; false when there is one with this id already. Waits for another transaction
   * that adds the same id.
   */
  public static boolean add(Handle handle, BalancingDecisionView decision) {
    int added =
        handle
            .createUpdate(
                """
                insert ignore into balancing_decision (id, decided_at, node, kind, policy, reason,
                    inputs)
                values (:id, :at, :node, :kind, :policy, :reason, :inputs)
                """)
            .bind("id", decision.id().toString())
            .bind("at", decision.at())
            .bind("node", decision.node())
            .bind("kind", decision.kind().name())
            .bind("policy", decision.policy() == null ? "" : decision.policy())
            .bind("reason", WeightDao.shortened(decision.reason()))
            .bind("inputs", Json.write(decision.inputs()))
            .execute();
    if (added == 1) {
      addMoves(handle, decision);
    }
    return added == 1;
  }

  private static void addMoves(Handle handle, BalancingDecisionView decision) {
    if (decision.moves().isEmpty()) {
      return;
    }
    PreparedBatch batch =
        handle.prepareBatch(
            """
            insert into balancing_move (id, position, queue, version, giver, receiver, points)
            values (:id, :position, :queue, :version, :giver, :receiver, :points)
            """);
    for (int position = 0; position < decision.moves().size(); position++) {
      WeightMove move = decision.moves().get(position);
      batch
          .bind("id", decision.id().toString())
          .bind("position", position)
          .bind("queue", move.queue())
          .bind("version", move.version())
          .bind("giver", move.from())
          .bind("receiver", move.to())
          .bind("points", move.points())
          .add();
    }
    batch.execute();
  }

  /**
   * The newest decisions, newest first.
   *
   * @param queue only decisions that moved points of this queue; null for any
   * @param node only decisions that this node made, or that moved points from or to it; null for
   *     any
   */
  public static List<BalancingDecisionView> newest(
      Handle handle, String queue, String node, int limit) {
    // Not "exists", which MariaDB may answer by reading all moves first.
    List<BalancingDecisionView> decisions =
        handle
            .createQuery(
                """
                select *
                from balancing_decision d
                where true <of_queue> <of_node>
                order by d.number desc
                limit :limit
                """)
            .define("of_queue", queue == null ? "" : OF_QUEUE)
            .define("of_node", node == null ? "" : OF_NODE)
            .bindMap(queue == null ? Map.of() : Map.of("queue", queue))
            .bindMap(node == null ? Map.of() : Map.of("node", node))
            .bind("limit", limit)
            .map(WeightDecisionDao::row)
            .list();
    return withMoves(handle, decisions);
  }

  private static List<BalancingDecisionView> withMoves(
      Handle handle, List<BalancingDecisionView> decisions) {
    if (decisions.isEmpty()) {
      return decisions;
    }
    Map<UUID, List<WeightMove>> moves =
        handle
            .createQuery(
                """
                select *
                from balancing_move
                where id in (<ids>)
                order by id, position
                """)
            .bindList("ids", decisions.stream().map(one -> one.id().toString()).toList())
            .map(
                (RowView row) ->
                    Map.entry(UUID.fromString(row.getColumn("id", String.class)), move(row)))
            .stream()
            .collect(
                Collectors.groupingBy(
                    Map.Entry::getKey,
                    Collectors.mapping(Map.Entry::getValue, Collectors.toList())));
    return decisions.stream()
        .map(
            one ->
                new BalancingDecisionView(
                    one.at(),
                    one.id(),
                    one.node(),
                    one.kind(),
                    one.policy(),
                    moves.getOrDefault(one.id(), List.of()),
                    one.reason(),
                    one.inputs()))
        .toList();
  }

  /**
   * Deletes some of the oldest decisions from before a time; whether more may be left. Numbers rise
   * with time, so no index on the time is needed.
   */
  public static boolean forgetSome(Handle handle, Instant before) {
    List<String> oldest =
        handle
            .createQuery(
                "select id, decided_at from balancing_decision order by number limit :limit")
            .bind("limit", CHUNK)
            .map(
                (RowView row) ->
                    Map.entry(
                        row.getColumn("id", String.class),
                        row.getColumn("decided_at", Instant.class)))
            .stream()
            .takeWhile(row -> row.getValue().isBefore(before))
            .map(Map.Entry::getKey)
            .toList();
    if (oldest.isEmpty()) {
      return false;
    }
    handle
        .createUpdate("delete from balancing_move where id in (<ids>)")
        .bindList("ids", oldest)
        .execute();
    handle
        .createUpdate("delete from balancing_decision where id in (<ids>)")
        .bindList("ids", oldest)
        .execute();
    return oldest.size() == CHUNK;
  }

  private static BalancingDecisionView row(RowView row) {
    return new BalancingDecisionView(
        row.getColumn("decided_at", Instant.class),
        UUID.fromString(row.getColumn("id", String.class)),
        row.getColumn("node", String.class),
        BalancingKind.valueOf(row.getColumn("kind", String.class)),
        row.getColumn("policy", String.class),
        List.of(),
        row.getColumn("reason", String.class),
        inputs(row.getColumn("inputs", String.class)));
  }

  private static JsonNode inputs(String json) {
    JsonNode inputs = Json.read(json, JsonNode.class);
    return inputs == null ? NullNode.getInstance() : inputs;
  }

  private static WeightMove move(RowView row) {
    return new WeightMove(
        row.getColumn("queue", String.class),
        row.getColumn("version", Long.class),
        row.getColumn("giver", String.class),
        row.getColumn("receiver", String.class),
        row.getColumn("points", Integer.class));
  }
}
