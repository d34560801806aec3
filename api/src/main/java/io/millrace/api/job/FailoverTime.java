package io.millrace.api.job;

import java.time.Duration;

/**
 * How long the processes of an exclusive job may run on after the last answer of a central manager
 * (docs/adr/0013): a node ends them before it is over, and central managers start the job elsewhere
 * only after it. Both sides use this rule, so that they cannot disagree. Pure.
 */
public final class FailoverTime {
  private FailoverTime() {}

  /**
   * The job's failover time, but at least the lease of its node, which is renewed no more often
   * than the node is in contact.
   *
   * @param failover of the job; null for the lease
   */
  public static Duration of(Duration failover, Duration lease) {
    return failover == null || failover.compareTo(lease) < 0 ? lease : failover;
  }
}
