package io.millrace.manager.node;

/** What a registered node does. */
public enum NodeKind {
  /** Holds segments. */
  QUEUE,
  /** Runs attempts. */
  EXECUTION,
  /** Distributes events to segments. */
  BALANCER
}
