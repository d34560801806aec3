package io.millrace.queuenode.balancing;

import io.millrace.api.Pure;
import java.util.random.RandomGenerator;

/** A rule by which a node decides about its own weight. Pure and thread-safe. */
@Pure
public interface BalancingPolicy {
  /** The word that selects it in a configuration. */
  String name();

  /**
   * Decides for one node.
   *
   * @param self the node that decides
   * @param draining whether operators want it empty
   * @param memory of the decision before; {@link BalancingMemory#EMPTY} at first
   * @param nowNanos monotonic
   */
  BalancingDecision decide(
      String self,
      boolean draining,
      BalancingSnapshot snapshot,
      BalancingMemory memory,
      long nowNanos,
      RandomGenerator random);
}
