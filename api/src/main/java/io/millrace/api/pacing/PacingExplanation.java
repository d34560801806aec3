package io.millrace.api.pacing;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

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
