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
 * Allocates the points of a queue to nodes: its first points, those of missing segments, and those
 * of lost nodes. Pure and thread-safe.
 */
@Pure
public final class PointAllocation {
  private static final Comparator<WeightCandidate> EMPTIEST =
      Comparator.comparingDouble(WeightCandidate::crowding)
          .thenComparing(Comparator.comparingDouble(WeightCandidate::capacity).reversed())
          .thenComparing(WeightCandidate::name);

  private static final Comparator<WeightCandidate> ROOMIEST =
      Comparator.comparingDouble(WeightCandidate::room)
          .reversed()
          .thenComparing(WeightCandidate::name);

  private PointAllocation() {}

  /**
   * The points of a queue that has none yet, or fewer segments than it should (H-054, H-055), on
   * the nodes with the fewest points for their capacity. A segment on a silent node counts: its
   * points move when the node is lost, and not during a short silence. Empty when nothing is to be
   * changed, or no node is live.
   *
   * @param points the queue's points by node's name; empty when it has no row yet
   * @param minSegments minimum of segments, as far as there are live nodes
   * @param live every node that may get points
   */
  public static Optional<Map<String, Integer>> place(
      Map<String, Integer> points, int minSegments, Collection<WeightCandidate> live) {
    int segments = Math.min(minSegments, live.size());
    if (segments <= points.size()) {
      return Optional.empty();
    }
    List<WeightCandidate> joining = emptiest(live, points.keySet(), segments - points.size());
    if (points.isEmpty()) {
      return Optional.of(first(joining));
    }
    Map<String, Integer> placed = new TreeMap<>(points);
    int share = Math.max(1, QueueWeights.TOTAL / segments);
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
    Map<String, Integer> points = divide(QueueWeights.TOTAL - nodes.size(), capacities);
    points.replaceAll((node, share) -> share + 1);
    return points;
  }

  private static String largestHolder(Map<String, Integer> points) {
    return points.entrySet().stream().max(Map.Entry.comparingByValue()).orElseThrow().getKey();
  }

  /**
   * The points of a queue after those of lost nodes went to the live ones, in proportion to their
   * free capacity (H-072 to H-074, H-127). Nodes that hold the queue already get them, and as many
   * further nodes as the queue's minimum of segments requires. Only lost nodes lose points. Empty
   * when no lost node holds any, or no live node can take them.
   *
   * @param points the queue's points by node's name
   * @param lost names of the lost nodes
   * @param minSegments minimum of segments, as far as there are live nodes
   * @param live every node that may get points; none of them is lost
   */
  public static Optional<Map<String, Integer>> reassign(
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
    // Every new segment gets a point first: a segment without points would not exist.
    joining.forEach(node -> kept.put(node.name(), 1));
    Map<String, Double> spare = new TreeMap<>();
    live.stream()
        .filter(node -> kept.containsKey(node.name()))
        .forEach(node -> spare.put(node.name(), node.room()));
    divide(orphaned - joining.size(), spare)
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

  /**
   * Divides points in proportion to weights, by the largest remainder; equal remainders go by name.
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
    Map<String, Integer> rounded = new TreeMap<>();
    exact.forEach((name, share) -> rounded.put(name, (int) Math.floor(share)));
    int left = points - rounded.values().stream().mapToInt(Integer::intValue).sum();
    List<String> byRemainder =
        exact.keySet().stream()
            .sorted(
                Comparator.comparingDouble((String name) -> rounded.get(name) - exact.get(name))
                    .thenComparing(Comparator.naturalOrder()))
            .toList();
    for (int next = 0; next < left; next++) {
      rounded.merge(byRemainder.get(next % byRemainder.size()), 1, Integer::sum);
    }
    return rounded;
  }
}
