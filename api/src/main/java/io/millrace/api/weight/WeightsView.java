package io.millrace.api.weight;

import io.millrace.api.queue.QueueWeights;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/**
 * A queue's current and recent weights.
 *
 * @param weights the row in force; null when it has none yet
 * @param history its versions, oldest first
 */
public record WeightsView(QueueWeights weights, List<WeightChange> history) {

  /**
   * One version of a queue's weight row.
   *
   * @param queue the queue
   * @param version of the row
   * @param at when it took effect, by the database's clock
   * @param points by queue node's name
   * @param kind why it changed
   * @param reason human-readable
   */
  public record WeightChange(
      String queue,
      long version,
      Instant at,
      Map<String, Integer> points,
      BalancingKind kind,
      String reason) {}
}
