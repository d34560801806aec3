package io.millrace.manager.weight;

import io.millrace.api.queue.QueueDefinition;
import io.millrace.api.queue.QueueDefinition.VersionedQueue;
import io.millrace.api.queue.QueueWeights;
import io.millrace.api.session.SlotMoveRequest;
import io.millrace.api.session.SlotTable;
import io.millrace.api.weight.BalancingKind;
import io.millrace.manager.definition.DeletionDao;
import io.millrace.manager.node.QueueNodeRegistry;
import io.millrace.manager.queue.QueueDefinitions;
import io.millrace.manager.queue.QueueDefinitions.QueueKind;
import io.millrace.manager.weight.WeightRows.PlannedWeights;
import io.millrace.platform.database.Database;
import io.millrace.platform.database.DatabaseTime;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Handle;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Assigns queues their first points and their missing segments, on live and active nodes; runs as a
 * claimed duty. Each row changes by compare-and-set; a row that changed concurrently is handled in
 * the next run. Of a queue of sessions only nodes move slots: a missing segment is asked for.
 */
public final class WeightPlacement {
  private static final Logger LOGGER = LoggerFactory.getLogger(WeightPlacement.class);

  private final Database database;
  private final DatabaseTime time;
  private final String manager;
  private final WeightRows weights;
  private final QueueDefinitions definitions;
  private final QueueNodeRegistry nodes;
  private final SlotMoveRequests moves;
  private final Runnable changed;

  /**
   * The duty.
   *
   * @param manager the central manager's name
   * @param moves asks nodes to give slots away
   * @param changed called after rows have changed; a hint
   */
  public WeightPlacement(
      Database database,
      String manager,
      WeightRows weights,
      QueueDefinitions definitions,
      QueueNodeRegistry nodes,
      SlotMoveRequests moves,
      Runnable changed) {
    this.moves = moves;
    this.database = database;
    this.time = new DatabaseTime(database.dialect());
    this.manager = manager;
    this.weights = weights;
    this.definitions = definitions;
    this.nodes = nodes;
    this.changed = changed;
  }

  /** Checks every queue once. Blocks. */
  public void place() {
    Map<String, QueueWeights> rows =
        weights.all().stream().collect(Collectors.toMap(QueueWeights::queue, Function.identity()));
    Map<String, WeightCandidate> candidates = WeightRows.candidates(nodes.all(), rows.values());
    boolean any = false;
    for (VersionedQueue queue : definitions.all()) {
      if (queue.definition().external()) {
        continue;
      }
      any |= place(queue, rows.get(queue.definition().name()), candidates);
    }
    if (any) {
      changed.run();
    }
  }

  /** How a node is asked to give slots to another one. */
  @FunctionalInterface
  public interface SlotMoveRequests {
    /** Asks it, unless it was asked just now; never blocks, and may fail. */
    void ask(String queue, String holder, SlotMoveRequest request);
  }

  private boolean place(
      VersionedQueue defined, QueueWeights row, Map<String, WeightCandidate> candidates) {
    QueueDefinition queue = defined.definition();
    if (queue.ofSessions() && row != null) {
      return row.slots() == null ? refit(defined) : restore(queue, row, candidates);
    }
    Map<String, Integer> before = row == null ? Map.of() : row.points();
    Optional<Map<String, Integer>> placed =
        PointAllocation.place(before, queue.minSegments(), candidates.values());
    if (placed.isEmpty()) {
      return false;
    }
    PlannedWeights plan = plan(queue, row, placed.get(), candidates);
    boolean done =
        database.transaction(
            handle -> !over(handle, defined) && plan.carryOut(handle, manager, time.now(handle)));
    if (done) {
      LOGGER.info("{}", plan.describe());
      placed
          .get()
          .forEach(
              (node, share) ->
                  candidates.computeIfPresent(
                      node, (name, one) -> one.plus(share - before.getOrDefault(node, 0))));
    }
    return done;
  }

  /** Slots that did not follow the points are assigned again, with the fewest changes. */
  private boolean refit(VersionedQueue defined) {
    Optional<PlannedWeights> done =
        database.transaction(
            handle -> {
              if (over(handle, defined)) {
                return Optional.empty();
              }
              return WeightDao.lockRow(handle, defined.definition().name())
                  .filter(row -> row.slots() == null)
                  .map(row -> refitted(row, WeightRows.slots(handle, row)))
                  .filter(plan -> plan.carryOut(handle, manager, time.now(handle)));
            });
    done.ifPresent(plan -> LOGGER.warn("{}", plan.describe()));
    return done.isPresent();
  }

  private static PlannedWeights refitted(QueueWeights row, SlotTable slots) {
    String reason =
        "the slots of %s are assigned again, since its points were changed without them"
            .formatted(row.queue());
    return new PlannedWeights(
        row.queue(), row, row.points(), slots, BalancingKind.RESTORE, reason, List.of());
  }

  /**
   * Slots of a living node move only when it has sealed them: it is asked to give them to the node
   * that gets a segment, again and again until the row says so.
   */
  private boolean restore(
      QueueDefinition queue, QueueWeights row, Map<String, WeightCandidate> candidates) {
    Map<String, Integer> before = row.points();
    Optional<Map<String, Integer>> placed =
        PointAllocation.place(before, queue.minSegments(), candidates.values());
    Optional<String> holder =
        before.keySet().stream()
            .filter(candidates::containsKey)
            .max(Comparator.comparing(before::get));
    Optional<String> joining =
        placed.flatMap(
            points -> points.keySet().stream().filter(node -> !before.containsKey(node)).findFirst());
    if (holder.isPresent() && joining.isPresent()) {
      int share = placed.get().get(joining.get());
      int most = before.get(holder.get()) - 1;
      if (most > 0) {
        moves.ask(
            queue.name(),
            holder.get(),
            new SlotMoveRequest(joining.get(), Math.min(share, most)));
      }
    }
    return false;
  }

  /** What was read before its end would give a deleted queue points again. */
  private static boolean over(Handle handle, VersionedQueue queue) {
    String name = queue.definition().name();
    return DeletionDao.ending(handle, QueueKind.KEYWORD, name, queue.version());
  }

  private static PlannedWeights plan(
      QueueDefinition queue,
      QueueWeights row,
      Map<String, Integer> placed,
      Map<String, WeightCandidate> candidates) {
    BalancingKind kind = row == null ? BalancingKind.FIRST : BalancingKind.RESTORE;
    String reason =
        row == null
            ? queue.name() + " gets its first points"
            : "%s has %d of %d segments"
                .formatted(queue.name(), row.points().size(), queue.minSegments());
    return new PlannedWeights(
        queue.name(),
        row,
        placed,
        queue.ofSessions() ? SlotTable.of(placed) : null,
        kind,
        reason,
        List.copyOf(candidates.values()));
  }
}
