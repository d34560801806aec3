package io.millrace.manager.weight;

import io.millrace.api.Pure;
import io.millrace.api.queue.QueueWeights;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * Gives a queue its first points, and its missing segments when it has fewer than it should (H-054,
 * H-055), on the nodes with the fewest points for their capacity. A segment on a node that is
 * silent counts: what becomes of its points is decided when the node is lost, and not by a short
 * silence. Pure and thread-safe.
 */
@Pure
public final class InitialWeights {
  private static final Comparator<WeightCandidate> EMPTIEST =
      Comparator.comparingDouble(WeightCandidate::crowding)
          .thenComparing(Comparator.comparingDouble(WeightCandidate::capacity).reversed())
          .thenComparing(WeightCandidate::name);

  private InitialWeights() {}

  /**
   * The points that the queue should have; empty when it is well as it is, or no node lives.
   *
   * @param points the queue's points by node's name; empty when it has no row yet
   * @param minSegments segments at the least while so many nodes live
   * @param live every node that may get points
   */
  public static Optional<Map<String, Integer>> place(
      Map<String, Integer> points, int minSegments, Collection<WeightCandidate> live) {
    int wanted = Math.min(minSegments, live.size());
    if (wanted <= points.size()) {
      return Optional.empty();
    }
    List<WeightCandidate> joining = emptiest(live, points.keySet(), wanted - points.size());
    if (points.isEmpty()) {
      return Optional.of(first(joining));
    }
    Map<String, Integer> placed = new TreeMap<>(points);
    int share = Math.max(1, QueueWeights.TOTAL / wanted);
    for (int moved = 0; moved < share * joining.size(); moved++) {
      placed.merge(largestHolder(placed), -1, Integer::sum);
    }
    joining.forEach(node -> placed.put(node.name(), share));
    return Optional.of(placed);
  }

  private static List<WeightCandidate> emptiest(
      Collection<WeightCandidate> live, Set<String> holders, int count) {
    return live.stream()
        .filter(node -> !holders.contains(node.name()))
        .sorted(EMPTIEST)
        .limit(count)
        .toList();
  }

  /** In proportion to capacity; a segment has at least one point. */
  private static Map<String, Integer> first(List<WeightCandidate> nodes) {
    Map<String, Double> capacities = new TreeMap<>();
    nodes.forEach(node -> capacities.put(node.name(), node.capacity()));
    Map<String, Integer> points =
        LargestRemainder.divide(QueueWeights.TOTAL - nodes.size(), capacities);
    points.replaceAll((node, share) -> share + 1);
    return points;
  }

  private static String largestHolder(Map<String, Integer> points) {
    return points.entrySet().stream().max(Map.Entry.comparingByValue()).orElseThrow().getKey();
  }
}
