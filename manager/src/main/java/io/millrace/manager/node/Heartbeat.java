package io.millrace.manager.node;

import java.time.Duration;

/**
 * How often execution nodes are heard of (M-07).
 *
 * @param interval between heartbeats
 * @param lease a node counts as lost after so long without one; several intervals
 */
public record Heartbeat(Duration interval, Duration lease) {
  public Heartbeat {
    if (interval.isZero() || interval.isNegative() || lease.compareTo(interval) <= 0) {
      throw new IllegalArgumentException(
          "the lease is longer than the heartbeat: " + lease + ", " + interval);
    }
  }

  /** Every 2 s, lost after three that didn't come. */
  public static Heartbeat defaults() {
    return new Heartbeat(Duration.ofSeconds(2), Duration.ofSeconds(6));
  }
}
