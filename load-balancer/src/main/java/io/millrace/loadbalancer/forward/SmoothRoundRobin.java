package io.millrace.loadbalancer.forward;

import io.millrace.api.Pure;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.random.RandomGenerator;

/**
 * Smooth weighted round robin over the segments of one queue: weights 4, 3 and 2 give an even
 * interleaving with exact shares over each period (H-064, H-258; the rule of nginx). At each pick
 * every node's credit rises by its weight; the node with the highest credit is picked and pays the
 * sum of all weights. A batch is one pick and is charged per event. Not thread-safe.
 */
@Pure
public final class SmoothRoundRobin {
  private final RandomGenerator random;
  private final Map<String, Long> credit = new HashMap<>();
  private Map<String, Integer> weights = Map.of();

  /**
   * A new instance.
   *
   * @param random gives new nodes a random part of their weight as first credit, so that several
   *     balancers are not synchronised; null for none
   */
  public SmoothRoundRobin(RandomGenerator random) {
    this.random = random;
  }

  /**
   * Picks the node for the next batch and charges one event.
   *
   * @param eligible weights of the nodes that may be picked now; nodes of weight 0 are not
   * @return empty when no node is eligible
   */
  public Optional<String> pick(Map<String, Integer> eligible) {
    adopt(eligible);
    String richest = null;
    // In the order of names, so that equal credits are decided in the same way everywhere.
    for (String node : weights.keySet()) {
      long earned = credit.merge(node, (long) weights.get(node), Long::sum);
      if (richest == null || earned > credit.get(richest)) {
        richest = node;
      }
    }
    if (richest != null) {
      credit.merge(richest, -sum(), Long::sum);
    }
    return Optional.ofNullable(richest);
  }

  /** Charges a node for events beyond the first of its batch, as if it had been picked for each. */
  public void charge(String node, long events) {
    if (events <= 0 || !weights.containsKey(node)) {
      return;
    }
    weights.forEach((each, weight) -> credit.merge(each, weight * events, Long::sum));
    credit.merge(node, -sum() * events, Long::sum);
  }

  /** Applies new weights; earlier debts are reduced so that they cannot starve a node. */
  private void adopt(Map<String, Integer> eligible) {
    Map<String, Integer> next = new TreeMap<>(eligible);
    next.values().removeIf(weight -> weight <= 0);
    if (next.equals(weights)) {
      return;
    }
    weights = next;
    credit.keySet().retainAll(weights.keySet());
    long sum = sum();
    credit.replaceAll((node, now) -> Math.max(-sum, Math.min(sum, now)));
    weights.forEach((node, weight) -> credit.computeIfAbsent(node, fresh -> first(weight)));
  }

  private long first(int weight) {
    return random == null ? 0 : random.nextLong(weight);
  }

  private long sum() {
    return weights.values().stream().mapToLong(Integer::longValue).sum();
  }
}
