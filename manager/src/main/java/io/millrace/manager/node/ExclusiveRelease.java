package io.millrace.manager.node;

import java.time.Duration;

/** When the place of a single instance on a silent node is free again. Pure. */
final class ExclusiveRelease {
  private ExclusiveRelease() {}

  /**
   * How long the node must have been silent. The watchdog on the node counts its deadline from
   * before a poll was sent, and the silence begins after that poll was taken: so the deadline is
   * over by then, and the watchdog has had its time to kill.
   *
   * @param lease of the node; no shorter failover can be kept
   * @param failover the job's own; null for the lease
   * @param killTime what the watchdog has for killing
   */
  static Duration after(Duration lease, Duration failover, Duration killTime) {
    Duration runs = failover == null || failover.compareTo(lease) < 0 ? lease : failover;
    return runs.plus(killTime);
  }
}
