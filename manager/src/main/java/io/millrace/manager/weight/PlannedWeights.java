package io.millrace.manager.weight;

import io.millrace.api.Json;
import io.millrace.api.queue.QueueWeights;
import io.millrace.api.weight.BalancingDecisionView;
import io.millrace.api.weight.BalancingKind;
import io.millrace.api.weight.MoveRequest.WeightMove;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Handle;

/**
 * What a central manager wants a queue's weights to be.
 *
 * @param queue the queue
 * @param before its row; null when it has none yet
 * @param after its points then
 * @param kind why
 * @param reason for people, without what moves
 * @param candidates the nodes that it was chosen from
 */
record PlannedWeights(
    String queue,
    QueueWeights before,
    Map<String, Integer> after,
    BalancingKind kind,
    String reason,
    Collection<WeightCandidate> candidates) {
  private static final String POLICY = "central";

  /**
   * Changes the row and records the decision, in the caller's transaction.
   *
   * @param manager the central manager that decides
   * @return false when the row is not the one planned on any more, and nothing is changed
   */
  boolean carryOut(Handle handle, String manager, Instant now) {
    BalancingDecisionView decision = decision(manager, now);
    boolean changed =
        before == null
            ? WeightRows.add(handle, queue, after, decision)
            : WeightRows.replace(handle, before, after, decision).isPresent();
    return changed && WeightRows.record(handle, decision);
  }

  /** The reason with what moves. */
  String words() {
    return reason
        + ": "
        + moves().stream().map(PlannedWeights::words).collect(Collectors.joining(", "));
  }

  private BalancingDecisionView decision(String manager, Instant now) {
    return new BalancingDecisionView(
        now,
        UUID.randomUUID(),
        manager,
        kind,
        POLICY,
        moves(),
        words(),
        Json.mapper().valueToTree(Map.of("before", points(), "candidates", candidates)));
  }

  private List<WeightMove> moves() {
    return PointMoves.between(queue, before == null ? 0 : before.version(), points(), after);
  }

  private Map<String, Integer> points() {
    return before == null ? Map.of() : before.points();
  }

  private static String words(WeightMove move) {
    String from = move.from() == null ? "" : " from " + move.from();
    return move.points() + " points" + from + " to " + move.to();
  }
}
