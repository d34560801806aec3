package io.millrace.tests.partition.drill;

import java.util.Collection;
import java.util.Collections;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * How evenly resources are shared, and how many move when members join or leave, measured over
 * cycles without a change of members. Not thread-safe.
 */
final class ResourceMoves {
  private Map<String, String> before = Map.of();
  private double ideal;
  private double mostMoved;
  private double worstLoad;

  /** Records that a member joined that many others. */
  void joined(int others, int resources) {
    ideal += (double) resources / (others + 1);
  }

  /** Records that one of that many members left. */
  void gone(int members, int resources) {
    ideal += (double) resources / members;
  }

  /** Records the shares of a cycle. */
  void settled(Map<String, String> pollers, int members) {
    long moved =
        before.entrySet().stream()
            .filter(one -> !one.getValue().equals(pollers.get(one.getKey())))
            .count();
    if (ideal > 0 && !before.isEmpty()) {
      mostMoved = Math.max(mostMoved, moved / ideal);
    } else if (moved > 0) {
      throw new AssertionError(moved + " resources moved although no member joined or left");
    }
    before = pollers;
    ideal = 0;
    Collection<Long> shares =
        pollers.values().stream()
            .collect(Collectors.groupingBy(Function.identity(), Collectors.counting()))
            .values();
    worstLoad = Math.max(worstLoad, Collections.max(shares) * (double) members / pollers.size());
  }

  /** The maximum number of resources moved by a change, as a multiple of the ideal. */
  double mostMoved() {
    return mostMoved;
  }

  /** The largest share of any member in any cycle, as a multiple of the mean. */
  double worstLoad() {
    return worstLoad;
  }
}
