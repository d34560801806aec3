package io.millrace.manager.node;

import java.time.Duration;

/**
 * How often execution nodes send heartbeats (M-07), and what happens to silent ones.
 *
 * @param interval between heartbeats
 * @param lease a node counts as lost after that time without a heartbeat; several intervals
 * @param killTime time for a watchdog to end a single instance after its deadline; null for 3 s
 * @param forgetAfter a lost node without attempts is removed after that time (M-15); null for 10
 *     minutes
 */
public record Heartbeat(
    Duration interval, Duration lease, Duration killTime, Duration forgetAfter) {
  private static final Duration MAX_UNRECORDED = Duration.ofMillis(250);
  private static final Duration USUAL_KILL_TIME = Duration.ofSeconds(3);
  private static final Duration USUAL_FORGETTING = Duration.ofMinutes(10);

  public Heartbeat {
    if (interval.isZero() || interval.isNegative() || lease.compareTo(interval) <= 0) {
      throw new IllegalArgumentException(
          "the lease (%s) must be longer than the interval (%s)".formatted(lease, interval));
    }
    killTime = killTime == null ? USUAL_KILL_TIME : killTime;
    forgetAfter = forgetAfter == null ? USUAL_FORGETTING : forgetAfter;
    if (killTime.isNegative() || forgetAfter.isNegative()) {
      throw new IllegalArgumentException("killTime and forgetAfter must not be negative");
    }
  }

  /** Uses the default killTime and forgetAfter. */
  public Heartbeat(Duration interval, Duration lease) {
    this(interval, lease, null, null);
  }

  /** A heartbeat within this time after the last one is not recorded. */
  public Duration unrecorded() {
    Duration tenth = lease.dividedBy(10);
    return tenth.compareTo(MAX_UNRECORDED) < 0 ? tenth : MAX_UNRECORDED;
  }

  /** The lease that is sent to nodes: shorter, because the last heartbeats may be unrecorded. */
  public Duration announcedLease() {
    return lease.minus(unrecorded());
  }

  /** Every 2 s; lost after three missed heartbeats. */
  public static Heartbeat defaults() {
    return new Heartbeat(Duration.ofSeconds(2), Duration.ofSeconds(6));
  }
}
