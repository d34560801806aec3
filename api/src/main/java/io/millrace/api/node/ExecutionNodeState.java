package io.millrace.api.node;

/** Whether a node may get work (M-06, M-07). */
public enum ExecutionNodeState {
  /** Registered and heard of within its lease. */
  EMPLOYED,
  /** Silent for longer than its lease, or said goodbye; may register again. */
  RETIRED
}
