package io.millrace.simulator.replay;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;

/**
 * A decision of a queue manager, as the export of decisions tells it.
 *
 * @param at by the database's clock
 * @param node the segment's queue node
 * @param start workers submitted
 * @param policy the policy
 * @param gate what limited it
 * @param figures what it saw, and the settings in force
 */
public record RecordedDecision(
    Instant at, String node, int start, String policy, String gate, Map<String, Double> figures) {
  public RecordedDecision {
    figures = Map.copyOf(figures);
  }

  /** A figure; 0 when it was not recorded. */
  double figure(String name) {
    return figures.getOrDefault(name, 0.0);
  }

  boolean tells(String name) {
    return figures.containsKey(name);
  }

  /** Seconds from a moment to this decision. */
  double secondsFrom(Instant origin) {
    return Duration.between(origin, at).toNanos() / 1e9;
  }
}
