package io.millrace.manager.weight;

import io.millrace.api.Pure;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Divides whole points in proportion to weights, by the largest remainder. Pure. */
@Pure
final class LargestRemainder {
  private LargestRemainder() {}

  /**
   * The points of each name; they sum to the points given. Equal remainders go by name.
   *
   * @param points at least 0
   * @param weights by name, at least one, none negative; if all are 0, they count as equal
   */
  static Map<String, Integer> divide(int points, Map<String, Double> weights) {
    double sum = weights.values().stream().mapToDouble(Double::doubleValue).sum();
    Map<String, Double> exact = new TreeMap<>();
    weights.forEach(
        (name, weight) ->
            exact.put(name, sum > 0 ? points * weight / sum : (double) points / weights.size()));
    Map<String, Integer> whole = new TreeMap<>();
    exact.forEach((name, share) -> whole.put(name, (int) Math.floor(share)));
    int left = points - whole.values().stream().mapToInt(Integer::intValue).sum();
    List<String> byRemainder =
        exact.keySet().stream()
            .sorted(
                Comparator.comparingDouble((String name) -> whole.get(name) - exact.get(name))
                    .thenComparing(Comparator.naturalOrder()))
            .toList();
    for (int next = 0; next < left; next++) {
      whole.merge(byRemainder.get(next % byRemainder.size()), 1, Integer::sum);
    }
    return whole;
  }
}
