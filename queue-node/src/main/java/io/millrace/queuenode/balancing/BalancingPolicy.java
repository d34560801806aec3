package io.millrace.queuenode.balancing;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.Pure;
import java.util.List;
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

  /** The policies by name. */
  @Pure
  final class BalancingPolicies {
    /** The policy of those who choose none. */
    public static final String DEFAULT = MeasuredLoadPolicy.NAME;

    private BalancingPolicies() {}

    /** All of them, the default first. */
    public static List<BalancingPolicy> all(BalancingSettings settings) {
      return List.of(
          new MeasuredLoadPolicy(settings),
          new RandomSplitPolicy("random-one", segments -> 1, settings),
          new RandomSplitPolicy("random-25", segments -> part(segments, 25), settings),
          new RandomSplitPolicy("random-40", segments -> part(segments, 40), settings));
    }

    private static int part(int segments, int percent) {
      return (segments * percent + 99) / 100;
    }

    /**
     * The policy of a name.
     *
     * @throws MillraceException with CONFIGURATION when there is none
     */
    public static BalancingPolicy named(String name, BalancingSettings settings) {
      List<BalancingPolicy> all = all(settings);
      return all.stream()
          .filter(policy -> policy.name().equals(name))
          .findFirst()
          .orElseThrow(
              () ->
                  new MillraceException(
                      ErrorCode.CONFIGURATION,
                      "there is no balancing policy "
                          + name
                          + "; choose one of "
                          + String.join(", ", all.stream().map(BalancingPolicy::name).toList())));
    }
  }
}
