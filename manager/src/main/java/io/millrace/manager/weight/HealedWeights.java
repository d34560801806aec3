package io.millrace.manager.weight;

import io.millrace.api.Pure;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * Gives the points of lost nodes to the living, in proportion to their room, by largest remainder
 * (H-072 to H-074, H-127). Those that hold the queue already get them, and with them as many more
 * as the queue's minimum of segments wants. Nobody loses a point but the lost. Pure and
 * thread-safe.
 */
@Pure
public final class HealedWeights {
  private static final Comparator<WeightCandidate> ROOMIEST =
      Comparator.comparingDouble(WeightCandidate::room)
          .reversed()
          .thenComparing(WeightCandidate::name);

  private HealedWeights() {}

  /**
   * The points that the queue should have; empty when no lost node holds any, or nobody can take
   * them.
   *
   * @param points the queue's points by node's name
   * @param lost names of the lost nodes
   * @param minSegments segments at the least while so many nodes live
   * @param live every node that may get points; none of them is lost
   */
  public static Optional<Map<String, Integer>> heal(
      Map<String, Integer> points,
      Set<String> lost,
      int minSegments,
      Collection<WeightCandidate> live) {
    Map<String, Integer> kept = new TreeMap<>(points);
    kept.keySet().removeAll(lost);
    int orphaned = sum(points) - sum(kept);
    if (orphaned == 0 || live.isEmpty()) {
      return Optional.empty();
    }
    List<WeightCandidate> joining = joining(kept, minSegments, orphaned, live);
    // Every new segment gets a point first: one without any would be none.
    joining.forEach(node -> kept.put(node.name(), 1));
    Map<String, Double> rooms = new TreeMap<>();
    live.stream()
        .filter(node -> kept.containsKey(node.name()))
        .forEach(node -> rooms.put(node.name(), node.room()));
    LargestRemainder.divide(orphaned - joining.size(), rooms)
        .forEach((node, share) -> kept.merge(node, share, Integer::sum));
    return Optional.of(kept);
  }

  private static List<WeightCandidate> joining(
      Map<String, Integer> kept, int minSegments, int orphaned, Collection<WeightCandidate> live) {
    boolean someoneTakes = live.stream().anyMatch(node -> kept.containsKey(node.name()));
    int missing = Math.max(someoneTakes ? 0 : 1, minSegments - kept.size());
    return live.stream()
        .filter(node -> !kept.containsKey(node.name()))
        .sorted(ROOMIEST)
        .limit(Math.min(missing, orphaned))
        .toList();
  }

  private static int sum(Map<String, Integer> points) {
    return points.values().stream().mapToInt(Integer::intValue).sum();
  }
}
