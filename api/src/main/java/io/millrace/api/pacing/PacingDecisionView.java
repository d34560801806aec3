package io.millrace.api.pacing;

import io.millrace.api.job.AttemptId;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A recorded decision as shown.
 *
 * @param number later decisions have higher ones; 0 before it is recorded
 * @param at by the database's clock
 * @param node the segment's queue node
 * @param attempt who decided
 * @param start workers submitted
 * @param policy the policy
 * @param gate what limited it
 * @param reason for people
 * @param inputs the figures seen
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
   * Why a queue has as many workers as it has, in plain words first.
   *
   * @param queue its name
   * @param at when this was said, by the database's clock
   * @param words sentences, the most telling first
   * @param override what an operator has set for a while; null for nothing
   * @param breaker null while it is closed
   * @param gates what held the queue back in that time, and what to do about it, by gate
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
