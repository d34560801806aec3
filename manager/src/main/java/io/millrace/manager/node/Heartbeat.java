package io.millrace.manager.node;

import java.time.Duration;

/**
 * How often execution nodes are heard of (M-07), and what becomes of those that are not.
 *
 * @param interval between heartbeats
 * @param lease a node counts as lost after so long without one; several intervals
 * @param killTime what a watchdog has, after a single instance's deadline, to end it; null for 3 s
 * @param forgetAfter a retired node with nothing left is forgotten after so long (M-15); null for
 *     10 minutes
 */
public record Heartbeat(
    Duration interval, Duration lease, Duration killTime, Duration forgetAfter) {
  private static final Duration MOST_UNWRITTEN = Duration.ofMillis(250);
  private static final Duration USUAL_KILL_TIME = Duration.ofSeconds(3);
  private static final Duration USUAL_FORGETTING = Duration.ofMinutes(10);

  public Heartbeat {
    if (interval.isZero() || interval.isNegative() || lease.compareTo(interval) <= 0) {
      throw new IllegalArgumentException(
          "the lease is longer than the heartbeat: " + lease + ", " + interval);
    }
    killTime = killTime == null ? USUAL_KILL_TIME : killTime;
    forgetAfter = forgetAfter == null ? USUAL_FORGETTING : forgetAfter;
    if (killTime.isNegative() || forgetAfter.isNegative()) {
      throw new IllegalArgumentException("killTime and forgetAfter are not negative");
    }
  }

  /** The usual kill time and forgetting. */
  public Heartbeat(Duration interval, Duration lease) {
    this(interval, lease, null, null);
  }

  /** A heartbeat so soon after the last one is not written down. */
  public Duration unwritten() {
    Duration tenth = lease.dividedBy(10);
    return tenth.compareTo(MOST_UNWRITTEN) < 0 ? tenth : MOST_UNWRITTEN;
  }

  /** The lease that nodes are told of: shorter, because the last heartbeats may be unwritten. */
  public Duration told() {
    return lease.minus(unwritten());
  }

  /** Every 2 s, lost after three that didn't come. */
  public static Heartbeat defaults() {
    return new Heartbeat(Duration.ofSeconds(2), Duration.ofSeconds(6));
  }
}
