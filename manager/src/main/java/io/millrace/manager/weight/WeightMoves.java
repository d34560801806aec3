package io.millrace.manager.weight;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.queue.QueueWeights;
import io.millrace.api.weight.BalancingDecisionView;
import io.millrace.api.weight.MoveRequest;
import io.millrace.api.weight.MoveRequest.MoveAnswer;
import io.millrace.api.weight.MoveRequest.WeightMove;
import io.millrace.manager.node.KnownQueueNode;
import io.millrace.manager.node.QueueNodeRegister;
import io.millrace.manager.queue.QueueDefinitions;
import io.millrace.platform.database.Database;
import io.millrace.platform.database.DatabaseTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Handle;

/**
 * Carries out what nodes have decided about their own weight: all moves of a request in one
 * transaction, or none, and once however often it is asked (H-065). Thread-safe; blocks on the
 * database.
 */
public final class WeightMoves {
  private final Database database;
  private final DatabaseTime time;
  private final QueueDefinitions definitions;
  private final QueueNodeRegister nodes;
  private final Runnable changed;

  /**
   * A desk for moves.
   *
   * @param changed called after rows have changed; a hint
   */
  public WeightMoves(
      Database database, QueueDefinitions definitions, QueueNodeRegister nodes, Runnable changed) {
    this.database = database;
    this.time = new DatabaseTime(database.dialect());
    this.definitions = definitions;
    this.nodes = nodes;
    this.changed = changed;
  }

  /**
   * Carries a request out, or finds that it was.
   *
   * @throws MillraceException STALE_VERSION when a row has changed since the node decided, CONFLICT
   *     when a move is not allowed now, UNKNOWN_NODE when the node is not registered,
   *     INVALID_REQUEST; nothing is changed then
   */
  public MoveAnswer move(MoveRequest request) {
    MoveRules.check(request);
    // Outside the transaction: definitions change by nobody's weight.
    Map<String, Integer> minimums = new TreeMap<>();
    for (WeightMove move : request.moves()) {
      minimums.computeIfAbsent(
          move.queue(), queue -> definitions.require(queue).definition().minSegments());
    }
    MoveAnswer answer = database.transaction(handle -> carryOut(handle, request, minimums));
    if (!answer.repeated() && !answer.rows().isEmpty()) {
      changed.run();
    }
    return answer;
  }

  private MoveAnswer carryOut(Handle handle, MoveRequest request, Map<String, Integer> minimums) {
    Map<String, QueueWeights> rows = locked(handle, minimums.keySet());
    BalancingDecisionView decision = decision(request, time.now(handle));
    // Under the rows' locks, so that the same request asked twice at once is seen here.
    if (!WeightRows.record(handle, decision)) {
      return new MoveAnswer(List.copyOf(rows.values()), true);
    }
    request.moves().forEach(move -> MoveRules.checkVersion(move, rows.get(move.queue())));
    Set<String> takers = takers(handle, request.node());
    List<QueueWeights> moved = new ArrayList<>();
    for (QueueWeights row : rows.values()) {
      moved.add(replaced(handle, row, minimums.get(row.queue()), takers, decision));
    }
    return new MoveAnswer(moved, false);
  }

  /** In the order of the queues' names, so that two requests never wait for one another. */
  private static Map<String, QueueWeights> locked(Handle handle, Set<String> queues) {
    Map<String, QueueWeights> rows = new TreeMap<>();
    for (String queue : new TreeSet<>(queues)) {
      rows.put(queue, WeightDao.lockRow(handle, queue).orElseThrow(() -> MoveRules.noRow(queue)));
    }
    return rows;
  }

  private static BalancingDecisionView decision(MoveRequest request, Instant now) {
    return new BalancingDecisionView(
        now,
        request.id(),
        request.node(),
        request.kind(),
        request.policy(),
        request.moves(),
        request.reason(),
        request.inputs());
  }

  private Set<String> takers(Handle handle, String giver) {
    List<KnownQueueNode> known = nodes.all(handle);
    if (known.stream().noneMatch(node -> node.name().equals(giver))) {
      throw MoveRules.unknown(giver);
    }
    return known.stream()
        .filter(KnownQueueNode::takesWeight)
        .map(KnownQueueNode::name)
        .collect(Collectors.toSet());
  }

  private static QueueWeights replaced(
      Handle handle,
      QueueWeights row,
      int minSegments,
      Set<String> takers,
      BalancingDecisionView decision) {
    List<WeightMove> moves =
        decision.moves().stream().filter(move -> move.queue().equals(row.queue())).toList();
    try {
      Map<String, Integer> points = PointMoves.apply(row, moves, minSegments, takers);
      return WeightRows.replace(handle, row, points, decision)
          .orElseThrow(() -> new IllegalStateException("a locked weight row has changed: " + row));
    } catch (PointMoves.Refused refused) {
      throw new MillraceException(ErrorCode.CONFLICT, refused.getMessage(), refused);
    }
  }
}
