package io.millrace.api.pacing;

import io.millrace.api.job.AttemptId;
import io.millrace.api.pacing.PacingView.BreakerView;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A recorded decision as shown.
 *
 * @param number rises with each decision; 0 before it is recorded
 * @param at by the database's clock
 * @param node the segment's queue node
 * @param attempt the queue manager's attempt
 * @param start workers submitted
 * @param policy the policy
 * @param gate what limited it
 * @param reason human-readable
 * @param inputs the figures it was based on
 */
public record PacingDecisionView(
    long number,
    Instant at,
    String node,
    AttemptId attempt,
    int start,
    String policy,
    String gate,
    String reason,
    Map<String, Double> inputs) {

  /**
   * Why a queue has the workers it has, with a summary first.
   *
   * @param queue its name
   * @param at by the database's clock
   * @param words sentences, the most important first
   * @param override the override in force; null if there is none
   * @param breaker null while it is closed
   * @param gates what limited the queue in that period, and what to do about it, by gate
   * @param decisions the decisions behind it, newest first
   */
  public record PacingExplanation(
      String queue,
      Instant at,
      List<String> words,
      PacingOverride override,
      BreakerView breaker,
      Map<String, String> gates,
      List<PacingDecisionView> decisions) {
    public PacingExplanation {
      words = List.copyOf(words);
      gates = new TreeMap<>(gates);
      decisions = List.copyOf(decisions);
    }
  }
}
