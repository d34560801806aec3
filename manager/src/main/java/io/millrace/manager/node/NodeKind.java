package io.millrace.manager.node;

/** What a registered node does. */
public enum NodeKind {
  /** Holds segments. */
  QUEUE,
  /** Runs attempts. */
  EXECUTION,
  /** Spreads events over segments. */
  BALANCER
}
