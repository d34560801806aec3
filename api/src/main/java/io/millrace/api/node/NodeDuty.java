package io.millrace.api.node;

/** What operators want of an execution node. */
public enum NodeDuty {
  /** Takes jobs. */
  ACTIVE,
  /** Takes no new jobs; what runs finishes, or is stopped at a deadline and runs elsewhere. */
  DRAINING,
  /** Takes no new jobs for a time; if it goes away meanwhile, its attempts are not given up. */
  MAINTENANCE
}
