package io.millrace.tests.partition.drill;

import java.util.Collection;
import java.util.Collections;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * How evenly resources are shared, and how many change hands when members do; over the cycles in
 * whose midst nobody came or went, which say whose each resource is. Not thread-safe.
 */
final class ResourceMoves {
  private Map<String, String> before = Map.of();
  private double ideal;
  private double mostMoved;
  private double worstLoad;

  /** Somebody joins so many members. */
  void joined(int others, int resources) {
    ideal += (double) resources / (others + 1);
  }

  /** Somebody goes, of so many members. */
  void gone(int members, int resources) {
    ideal += (double) resources / members;
  }

  /** Notes the shares of a cycle. */
  void settled(Map<String, String> pollers, int members) {
    long moved =
        before.entrySet().stream()
            .filter(one -> !one.getValue().equals(pollers.get(one.getKey())))
            .count();
    if (ideal > 0 && !before.isEmpty()) {
      mostMoved = Math.max(mostMoved, moved / ideal);
    } else if (moved > 0) {
      throw new AssertionError(moved + " resources moved though no member came or went");
    }
    before = pollers;
    ideal = 0;
    Collection<Long> shares =
        pollers.values().stream()
            .collect(Collectors.groupingBy(Function.identity(), Collectors.counting()))
            .values();
    worstLoad = Math.max(worstLoad, Collections.max(shares) * (double) members / pollers.size());
  }

  /** Most resources that one or more changes moved, as a multiple of what they had to. */
  double mostMoved() {
    return mostMoved;
  }

  /** Largest share of any member in any cycle, as a multiple of the mean. */
  double worstLoad() {
    return worstLoad;
  }
}
