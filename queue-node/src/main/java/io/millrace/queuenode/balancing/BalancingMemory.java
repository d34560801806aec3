package io.millrace.queuenode.balancing;

/** What a node keeps from decision to decision. Immutable. */
public record BalancingMemory() {
  /** Nothing decided yet. */
  public static final BalancingMemory EMPTY = new BalancingMemory();
}
