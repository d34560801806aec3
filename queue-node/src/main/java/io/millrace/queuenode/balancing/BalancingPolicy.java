package io.millrace.queuenode.balancing;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.Pure;
import java.util.List;
import java.util.random.RandomGenerator;

/** A rule by which a node decides about its weight. Pure and thread-safe. */
@Pure
public interface BalancingPolicy {
  /** Its name in the configuration. */
  String name();

  /**
   * Decides for one node.
   *
   * @param self the deciding node
   * @param draining whether operators drain it
   * @param memory of the previous decision; {@link BalancingMemory#EMPTY} at first
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
    /** The default policy. */
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
     * @throws MillraceException with CONFIGURATION if there is none
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
                      "unknown balancing policy "
                          + name
                          + "; choose one of "
                          + String.join(", ", all.stream().map(BalancingPolicy::name).toList())));
    }
  }
}
