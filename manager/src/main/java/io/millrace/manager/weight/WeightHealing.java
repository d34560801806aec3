package io.millrace.manager.weight;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.queue.QueueDefinition;
import io.millrace.api.queue.QueueDefinition.VersionedQueue;
import io.millrace.api.queue.QueueWeights;
import io.millrace.api.session.SlotTable;
import io.millrace.api.weight.BalancingKind;
import io.millrace.manager.node.KnownQueueNode;
import io.millrace.manager.node.KnownQueueNode.QueueNodeCondition;
import io.millrace.manager.node.QueueNodeLoss;
import io.millrace.manager.node.QueueNodeRegistry;
import io.millrace.manager.queue.QueueDefinitions;
import io.millrace.manager.weight.WeightRows.PlannedWeights;
import io.millrace.platform.claim.Claim;
import io.millrace.platform.claim.ClaimDao;
import io.millrace.platform.claim.ClaimedDuty;
import io.millrace.platform.database.Database;
import io.millrace.platform.database.DatabaseTime;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Handle;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reassigns the points of lost queue nodes to live ones (H-071 to H-074, H-127). Runs as a claimed
 * duty; each queue is handled in a transaction that holds the claim and the queue's row and decides
 * on what it reads there, so that no other change interferes.
 */
public final class WeightHealing implements ClaimedDuty.Duty {
  private static final Logger LOGGER = LoggerFactory.getLogger(WeightHealing.class);

  private final Database database;
  private final DatabaseTime time;
  private final ClaimDao claims;
  private final String manager;
  private final QueueDefinitions definitions;
  private final QueueNodeRegistry nodes;
  private final QueueNodeLoss loss;
  private final WeightRows weights;
  private final Runnable changed;

  /**
   * The duty.
   *
   * @param manager the central manager's name
   * @param changed called after nodes were lost or rows have changed; a hint
   */
  public WeightHealing(
      Database database,
      ClaimDao claims,
      String manager,
      WeightRows weights,
      QueueDefinitions definitions,
      QueueNodeRegistry nodes,
      QueueNodeLoss loss,
      Runnable changed) {
    this.database = database;
    this.time = new DatabaseTime(database.dialect());
    this.claims = claims;
    this.manager = manager;
    this.weights = weights;
    this.definitions = definitions;
    this.nodes = nodes;
    this.loss = loss;
    this.changed = changed;
  }

  /** Observes every node, whether the claim is held or not; called before each run. Blocks. */
  @Override
  public void observe() {
    loss.observe();
  }

  /** Reassigns the points of every queue, under the claim. Blocks. */
  @Override
  public void run(Claim claim) {
    int found = loss.mark(claim);
    Set<String> lost = lost(nodes.all());
    boolean any = found > 0;
    if (!lost.isEmpty()) {
      for (QueueWeights row : weights.all()) {
        any |=
            row.points().keySet().stream().anyMatch(lost::contains) && healed(claim, row.queue());
      }
    }
    if (any) {
      changed.run();
    }
  }

  /** A row that changes concurrently is handled in the next run. */
  private boolean healed(Claim claim, String queue) {
    try {
      return heal(claim, queue);
    } catch (MillraceException e) {
      if (e.code() != ErrorCode.STALE_VERSION) {
        throw e;
      }
      LOGGER.info("weights not reassigned, retrying: {}", e.getMessage());
      return true;
    }
  }

  private boolean heal(Claim claim, String queue) {
    Optional<QueueDefinition> defined =
        definitions.find(queue).map(VersionedQueue::definition);
    Optional<PlannedWeights> done =
        database.transaction(
            handle ->
                claims.lock(handle, claim)
                    ? plan(handle, queue, defined)
                        .filter(plan -> plan.carryOut(handle, manager, time.now(handle)))
                    : Optional.empty());
    done.ifPresent(plan -> LOGGER.warn("{}", plan.describe()));
    return done.isPresent();
  }

  private Optional<PlannedWeights> plan(
      Handle handle, String queue, Optional<QueueDefinition> defined) {
    int minSegments = defined.map(QueueDefinition::minSegments).orElse(1);
    Optional<QueueWeights> found = WeightDao.lockRow(handle, queue);
    if (found.isEmpty()) {
      // The queue was deleted meanwhile.
      return Optional.empty();
    }
    QueueWeights row = found.get();
    List<KnownQueueNode> known = nodes.all(handle);
    Set<String> lost = lost(known);
    lost.retainAll(row.points().keySet());
    Collection<WeightCandidate> candidates =
        WeightRows.candidates(known, WeightDao.all(handle)).values();
    return PointAllocation.reassign(row.points(), lost, minSegments, candidates)
        .map(
            points ->
                new PlannedWeights(
                    queue,
                    row,
                    points,
                    slots(handle, row, defined, points),
                    BalancingKind.HEAL,
                    reason(queue, lost),
                    List.copyOf(candidates)));
  }

  /** Those of the lost nodes go to the living; what the lost have of them is still owed. */
  private static SlotTable slots(
      Handle handle,
      QueueWeights row,
      Optional<QueueDefinition> defined,
      Map<String, Integer> points) {
    boolean ofSessions =
        row.slots() != null || defined.filter(QueueDefinition::ofSessions).isPresent();
    return ofSessions ? SlotAllocation.fitted(WeightRows.slots(handle, row), points) : null;
  }

  private static String reason(String queue, Set<String> lost) {
    return "%s %s lost, the points of %s go to live nodes in proportion to free capacity"
        .formatted(String.join(", ", lost), lost.size() == 1 ? "is" : "are", queue);
  }

  private static Set<String> lost(Collection<KnownQueueNode> known) {
    return known.stream()
        .filter(node -> node.condition() == QueueNodeCondition.LOST)
        .map(KnownQueueNode::name)
        .collect(Collectors.toCollection(TreeSet::new));
  }
}
