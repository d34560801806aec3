package io.millrace.manager.weight;

import com.fasterxml.jackson.databind.node.NullNode;
import io.millrace.api.ErrorCode;
import io.millrace.api.MessageText;
import io.millrace.api.MillraceException;
import io.millrace.api.queue.QueueDefinition;
import io.millrace.api.queue.QueueWeights;
import io.millrace.api.session.DrainedSlots;
import io.millrace.api.session.SlotTable;
import io.millrace.api.session.SlotTable.SlotOwner;
import io.millrace.api.weight.BalancingDecisionView;
import io.millrace.api.weight.BalancingKind;
import io.millrace.api.weight.MoveRequest;
import io.millrace.api.weight.MoveRequest.MoveAnswer;
import io.millrace.api.weight.MoveRequest.WeightMove;
import io.millrace.api.weight.WeightsView;
import io.millrace.manager.node.KnownQueueNode;
import io.millrace.manager.node.QueueNodeRegistry;
import io.millrace.manager.queue.QueueDefinitions;
import io.millrace.platform.database.Database;
import io.millrace.platform.database.DatabaseTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Handle;

/**
 * Carries out the moves of weight that nodes request, all of a request in one transaction or none,
 * and once however often it is repeated (H-065); shows weights and the decisions about them.
 * Thread-safe; every method blocks on the database.
 */
public final class WeightService {
  private static final Set<BalancingKind> OF_NODES =
      EnumSet.of(
          BalancingKind.SHED,
          BalancingKind.SCALE_IN,
          BalancingKind.DRAIN,
          // Slots, which the giver has sealed before it asks for the operator's move.
          BalancingKind.OPERATOR,
          BalancingKind.SHORTAGE);

  private static final int TRIES = 5;

  private final Database database;
  private final DatabaseTime time;
  private final QueueDefinitions definitions;
  private final QueueNodeRegistry nodes;
  private final Runnable changed;

  /**
   * The service.
   *
   * @param changed called after rows have changed; a hint
   */
  public WeightService(
      Database database, QueueDefinitions definitions, QueueNodeRegistry nodes, Runnable changed) {
    this.database = database;
    this.time = new DatabaseTime(database.dialect());
    this.definitions = definitions;
    this.nodes = nodes;
    this.changed = changed;
  }

  /**
   * Carries out a request unless it was carried out before.
   *
   * @throws MillraceException STALE_VERSION when a row has changed since the node decided, CONFLICT
   *     when a move is not allowed now, UNKNOWN_NODE when the node is not registered,
   *     INVALID_REQUEST; nothing is changed then
   */
  public MoveAnswer move(MoveRequest request) {
    check(request);
    // Outside the transaction: moves do not change definitions.
    Map<String, QueueDefinition> queues = new TreeMap<>();
    for (WeightMove move : request.moves()) {
      queues.computeIfAbsent(move.queue(), queue -> definitions.require(queue).definition());
      String wrong = SlotAllocation.problem(move, queues.get(move.queue()).ofSessions());
      require(wrong == null, wrong);
    }
    MoveAnswer answer = database.transaction(handle -> carryOut(handle, request, queues));
    if (!answer.repeated() && !answer.rows().isEmpty()) {
      changed.run();
    }
    return answer;
  }

  private MoveAnswer carryOut(
      Handle handle, MoveRequest request, Map<String, QueueDefinition> queues) {
    Map<String, QueueWeights> rows = locked(handle, queues.keySet());
    BalancingDecisionView decision = decision(request, time.now(handle));
    // Under the rows' locks, so that a concurrent repetition of the request is detected here.
    if (!WeightRows.record(handle, decision)) {
      return new MoveAnswer(List.copyOf(rows.values()), true);
    }
    request.moves().forEach(move -> checkVersion(move, rows.get(move.queue())));
    Set<String> takers = takers(handle, request.node());
    List<QueueWeights> moved = new ArrayList<>();
    for (QueueWeights row : rows.values()) {
      moved.add(replaced(handle, row, queues.get(row.queue()), takers, decision));
    }
    return new MoveAnswer(moved, false);
  }

  /** In the order of the queues' names, so that two requests cannot deadlock. */
  private static Map<String, QueueWeights> locked(Handle handle, Set<String> queues) {
    Map<String, QueueWeights> rows = new TreeMap<>();
    for (String queue : new TreeSet<>(queues)) {
      rows.put(queue, WeightDao.lockRow(handle, queue).orElseThrow(() -> noRow(queue)));
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
      throw unknown(giver);
    }
    return known.stream()
        .filter(KnownQueueNode::takesWeight)
        .map(KnownQueueNode::name)
        .collect(Collectors.toSet());
  }

  private static QueueWeights replaced(
      Handle handle,
      QueueWeights row,
      QueueDefinition queue,
      Set<String> takers,
      BalancingDecisionView decision) {
    List<WeightMove> moves =
        decision.moves().stream().filter(move -> move.queue().equals(row.queue())).toList();
    try {
      if (queue.ofSessions() && row.slots() == null) {
        throw new PointMoves.Refused(
            "the slots of %s are being assigned again, since its points were changed without them; try again"
                .formatted(row.queue()));
      }
      Map<String, Integer> points = PointMoves.apply(row, moves, queue.minSegments(), takers);
      SlotTable slots = queue.ofSessions() ? SlotAllocation.moved(row, moves) : null;
      return WeightRows.replace(handle, row, points, slots, decision)
          .orElseThrow(() -> new IllegalStateException("a locked weight row has changed: " + row));
    } catch (PointMoves.Refused refused) {
      throw new MillraceException(ErrorCode.CONFLICT, refused.getMessage(), refused);
    }
  }

  /**
   * Notes that all events of slots have arrived at their node that an earlier owner still held;
   * what the row no longer says so is ignored, so that a repetition changes nothing.
   *
   * @return the row in force then
   * @throws MillraceException INVALID_REQUEST; UNKNOWN_QUEUE; CONFLICT if the queue has no slots
   */
  public QueueWeights drained(String queue, DrainedSlots request) {
    definitions.require(queue);
    require(
        request.queue() == null || request.queue().equals(queue),
        "the slots are of %s, and the request is about %s".formatted(request.queue(), queue));
    require(
        request.node() != null && request.from() != null,
        "name the node that has the slots in 'node', and the one that had them before in 'from'");
    for (int attempt = 1; ; attempt++) {
      try {
        QueueWeights row = database.transaction(handle -> drained(handle, queue, request));
        changed.run();
        return row;
      } catch (MillraceException e) {
        if (e.code() != ErrorCode.STALE_VERSION || attempt == TRIES) {
          throw e;
        }
      }
    }
  }

  private QueueWeights drained(Handle handle, String queue, DrainedSlots request) {
    QueueWeights row = WeightDao.lockRow(handle, queue).orElseThrow(() -> noRow(queue));
    if (row.slots() == null) {
      throw new MillraceException(
          ErrorCode.CONFLICT, queue + " has no slots, or they are being assigned again; try again");
    }
    List<Integer> drained =
        SlotAllocation.owed(row.slots(), request.from()).stream()
            .filter(
                slot -> isHeld(row.slots().owner(slot), request.node(), request.slots().get(slot)))
            .toList();
    if (drained.isEmpty()) {
      return row;
    }
    SlotTable slots = row.slots().with(drained, owner -> owner.drained(request.from()));
    String reason =
        "all events of %s that %s had have arrived at %s"
            .formatted(MessageText.counted(drained.size(), "slot"), request.from(), request.node());
    BalancingDecisionView decision =
        new BalancingDecisionView(
            time.now(handle),
            UUID.randomUUID(),
            request.node(),
            BalancingKind.DRAINED,
            null,
            List.of(),
            reason,
            NullNode.getInstance());
    return WeightRows.replace(handle, row, row.points(), slots, decision)
        .orElseThrow(() -> new IllegalStateException("a locked weight row has changed: " + row));
  }

  private static boolean isHeld(SlotOwner owner, String node, Long epoch) {
    return owner.node().equals(node) && epoch != null && owner.epoch() == epoch;
  }

  private static void check(MoveRequest request) {
    require(request.id() != null, "the request needs an id, generated by the node");
    require(request.node() != null && !request.node().isBlank(), "the request must name its node");
    require(
        OF_NODES.contains(request.kind()),
        "kind must be one of %s, not %s".formatted(OF_NODES, request.kind()));
    require(
        request.moves().isEmpty() == (request.kind() == BalancingKind.SHORTAGE),
        "a SHORTAGE must have no moves, every other kind at least one");
    request.moves().forEach(move -> check(request.node(), move));
  }

  private static void check(String node, WeightMove move) {
    require(
        move.queue() != null && move.from() != null && move.to() != null,
        "a move must name queue, from and to");
    require(move.points() > 0, "a move must have at least 1 point, not " + move.points());
    require(
        move.from().equals(node),
        "a node may move only its own weight: %s cannot move that of %s"
            .formatted(node, move.from()));
    require(!move.from().equals(move.to()), "a move must go to a node other than " + node);
  }

  private static void checkVersion(WeightMove move, QueueWeights row) {
    // Slots that the giver has sealed say themselves whether they may be moved.
    if (move.slots().isEmpty() && move.version() != row.version()) {
      throw new MillraceException(
          ErrorCode.STALE_VERSION,
          "the weights of %s have changed: their version is %d, not %d; decide again"
              .formatted(move.queue(), row.version(), move.version()));
    }
  }

  private static MillraceException noRow(String queue) {
    return new MillraceException(
        ErrorCode.CONFLICT,
        queue + " has no weights yet; they are assigned when a queue node is live");
  }

  private static MillraceException unknown(String node) {
    return new MillraceException(
        ErrorCode.UNKNOWN_NODE,
        "no queue node '%s' is registered; it registers with its next report".formatted(node));
  }

  private static void require(boolean kept, String rule) {
    if (!kept) {
      throw new MillraceException(ErrorCode.INVALID_REQUEST, rule);
    }
  }

  /** A queue's weights now and their recent history; UNKNOWN_QUEUE if it is not defined. */
  public WeightsView weights(String queue, Duration period) {
    definitions.require(queue);
    Instant since = database.now().minus(period);
    return database.read(
        handle ->
            new WeightsView(
                WeightDao.find(handle, queue).orElse(null),
                WeightDao.versionsSince(handle, queue, since)));
  }

  /**
   * Decisions, newest first.
   *
   * @param queue only decisions about this queue; null for any
   * @param node only decisions that this node made or that moved its points; null for any
   */
  public List<BalancingDecisionView> decisions(String queue, String node, int limit) {
    return database.read(handle -> WeightDecisionDao.newest(handle, queue, node, limit));
  }
}
