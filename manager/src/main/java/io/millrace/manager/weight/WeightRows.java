package io.millrace.manager.weight;

import com.fasterxml.jackson.databind.node.NullNode;
import io.millrace.api.ErrorCode;
import io.millrace.api.Json;
import io.millrace.api.MillraceException;
import io.millrace.api.queue.QueueNodeReport;
import io.millrace.api.queue.QueueWeights;
import io.millrace.api.session.SlotTable;
import io.millrace.api.weight.BalancingDecisionView;
import io.millrace.api.weight.BalancingKind;
import io.millrace.api.weight.MoveRequest.WeightMove;
import io.millrace.api.weight.WeightsView.WeightChange;
import io.millrace.manager.node.KnownQueueNode;
import io.millrace.platform.database.Database;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Handle;

/**
 * The queues' weight rows, changed only by compare-and-set on their version, each change with its
 * history and decision in the same transaction (H-054). Thread-safe; every method blocks on the
 * database.
 */
public final class WeightRows {
  private final Database database;

  public WeightRows(Database database) {
    this.database = database;
  }

  /** Every row, by queue. */
  public List<QueueWeights> all() {
    return database.read(WeightDao::all);
  }

  /** A queue's row; empty when it has none. */
  public Optional<QueueWeights> find(String queue) {
    return database.read(handle -> WeightDao.find(handle, queue));
  }

  /**
   * The slots of a queue of sessions whose row is locked: those of the row, or if they were not
   * changed with it, those stored last with the fewest changes that its points require, or if there
   * are none, new ones under epochs that no slot has had yet.
   */
  static SlotTable slots(Handle handle, QueueWeights row) {
    if (row.slots() != null) {
      return row.slots();
    }
    return SlotDao.last(handle, row.queue())
        .map(last -> SlotAllocation.fitted(last, row.points()))
        .orElseGet(() -> SlotTable.of(row.points()).raised(row.version()));
  }

  /**
   * Lets the slots of all queues wait no longer for the events that a node had, which are given up.
   *
   * @return how many slots waited, by queue
   */
  static Map<String, Integer> giveUp(Handle handle, String node, String reason, Instant now) {
    Map<String, Integer> waiting = owed(handle, node);
    for (String queue : waiting.keySet()) {
      QueueWeights row = WeightDao.lockRow(handle, queue).orElseThrow();
      SlotTable slots = SlotAllocation.without(slots(handle, row), node);
      BalancingDecisionView decision =
          new BalancingDecisionView(
              now,
              UUID.randomUUID(),
              node,
              BalancingKind.DRAINED,
              null,
              List.of(),
              reason,
              NullNode.getInstance());
      replace(handle, row, row.points(), slots, decision);
    }
    return waiting;
  }

  /** How many slots wait for the events that a node had, by queue. */
  static Map<String, Integer> owed(Handle handle, String node) {
    Map<String, Integer> owed = new TreeMap<>();
    for (QueueWeights row : WeightDao.all(handle)) {
      Optional<SlotTable> slots =
          row.slots() == null ? SlotDao.last(handle, row.queue()) : Optional.of(row.slots());
      int waiting = slots.map(table -> SlotAllocation.owed(table, node).size()).orElse(0);
      if (waiting > 0) {
        owed.put(row.queue(), waiting);
      }
    }
    return owed;
  }

  /** The live and active nodes by name, with the points that they hold. */
  static Map<String, WeightCandidate> candidates(
      Collection<KnownQueueNode> nodes, Collection<QueueWeights> rows) {
    Map<String, WeightCandidate> candidates = new TreeMap<>();
    for (KnownQueueNode node : nodes) {
      if (node.takesWeight()) {
        int points = rows.stream().mapToInt(row -> row.of(node.name())).sum();
        candidates.put(node.name(), candidate(node, points));
      }
    }
    return candidates;
  }

  private static WeightCandidate candidate(KnownQueueNode node, int points) {
    QueueNodeReport report = node.report();
    boolean measured = report != null && report.load() != null;
    double capacity = report == null || report.capacity() <= 0 ? 1 : report.capacity();
    return new WeightCandidate(node.name(), points, capacity, measured ? report.load().load() : 0);
  }

  /**
   * Records a decision in the transaction that carries it out.
   *
   * @return false when a decision with this id was carried out already; then nothing is to be
   *     changed
   */
  static boolean record(Handle handle, BalancingDecisionView decision) {
    return WeightDecisionDao.add(handle, decision);
  }

  /**
   * Adds a queue's first row as decided; false when it has a row already.
   *
   * @param slots of a queue of sessions, under the epoch 1; null for any other
   */
  static boolean add(
      Handle handle,
      String queue,
      Map<String, Integer> points,
      SlotTable slots,
      BalancingDecisionView decision) {
    if (!WeightDao.add(handle, queue, points)) {
      return false;
    }
    QueueWeights added = WeightDao.find(handle, queue).orElseThrow();
    if (slots != null) {
      // Nodes may still hold slots of a deleted queue of this name, whose epochs are no higher than
      // the versions of its row were.
      SlotDao.put(handle, queue, added.version(), slots.raised(added.version() - 1));
    }
    keep(handle, added, decision);
    return true;
  }

  /**
   * Replaces a row as decided; empty when it has changed.
   *
   * @param slots of a queue of sessions, as many for each node as points; null for any other
   * @throws MillraceException STALE_VERSION when a concurrent change is detected late; the
   *     transaction must be rolled back
   */
  static Optional<QueueWeights> replace(
      Handle handle,
      QueueWeights expected,
      Map<String, Integer> points,
      SlotTable slots,
      BalancingDecisionView decision) {
    if (expected.slots() != null && slots == null) {
      throw new IllegalStateException("the points of a queue of sessions change with its slots");
    }
    QueueWeights next = new QueueWeights(expected.queue(), expected.version() + 1, points, slots);
    if (!WeightDao.replace(handle, expected, points)) {
      return Optional.empty();
    }
    if (slots != null) {
      SlotDao.put(handle, next.queue(), next.version(), slots);
    }
    keep(handle, next, decision);
    return Optional.of(next);
  }

  /**
   * Records the version. Recording each version once also guards the row: whoever replaces a
   * version that is in the history already has seen an older row, and must not commit.
   */
  private static void keep(Handle handle, QueueWeights row, BalancingDecisionView decision) {
    boolean kept =
        WeightDao.addVersion(
            handle,
            new WeightChange(
                row.queue(),
                row.version(),
                decision.at(),
                row.points(),
                decision.kind(),
                decision.reason()));
    if (!kept) {
      throw new MillraceException(
          ErrorCode.STALE_VERSION,
          "version %d of the weights of %s was created concurrently; read the row again"
              .formatted(row.version(), row.queue()));
    }
  }

  /**
   * A change of a queue's weights planned by a central manager.
   *
   * @param queue the queue
   * @param before its current row; null if it has none
   * @param after its points after the change
   * @param slots of a queue of sessions: its slots after the change; null for any other
   * @param kind why
   * @param reason human-readable, without the moves
   * @param candidates the candidate nodes
   */
  record PlannedWeights(
      String queue,
      QueueWeights before,
      Map<String, Integer> after,
      SlotTable slots,
      BalancingKind kind,
      String reason,
      Collection<WeightCandidate> candidates) {
    private static final String POLICY = "central";

    /**
     * Changes the row and records the decision, in the caller's transaction.
     *
     * @param manager the central manager that decides
     * @return false when the row has changed since planning; nothing is changed then
     */
    boolean carryOut(Handle handle, String manager, Instant now) {
      BalancingDecisionView decision = decision(manager, now);
      boolean changed =
          before == null
              ? WeightRows.add(handle, queue, after, slots, decision)
              : WeightRows.replace(handle, before, after, slots, decision).isPresent();
      return changed && WeightRows.record(handle, decision);
    }

    /** The reason with the moves. */
    String describe() {
      List<WeightMove> moves = moves();
      return moves.isEmpty()
          ? reason
          : reason
              + ": "
              + moves.stream().map(PlannedWeights::describe).collect(Collectors.joining(", "));
    }

    private BalancingDecisionView decision(String manager, Instant now) {
      return new BalancingDecisionView(
          now,
          UUID.randomUUID(),
          manager,
          kind,
          POLICY,
          moves(),
          describe(),
          Json.mapper().valueToTree(Map.of("before", points(), "candidates", candidates)));
    }

    private List<WeightMove> moves() {
      return PointMoves.between(queue, before == null ? 0 : before.version(), points(), after);
    }

    private Map<String, Integer> points() {
      return before == null ? Map.of() : before.points();
    }

    private static String describe(WeightMove move) {
      String from = move.from() == null ? "" : " from " + move.from();
      return move.points() + " points" + from + " to " + move.to();
    }
  }
}
