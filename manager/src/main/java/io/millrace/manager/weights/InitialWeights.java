package io.millrace.manager.weights;

import io.millrace.api.queue.QueueWeights;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Gives a queue its first points, and its missing segments when it has fewer than it should (H-054,
 * H-055). A segment on a node that is silent counts: what becomes of its points is decided when the
 * node is lost, and not by a short silence. Pure and thread-safe.
 */
public final class InitialWeights {
  private InitialWeights() {}

  /**
   * The points that the queue should have; empty when it is well as it is, or no node lives.
   *
   * @param points the queue's points by node's name; empty when it has no row yet
   * @param minSegments segments at the least while so many nodes live
   * @param live every live queue node with its points of all queues
   */
  public static Optional<Map<String, Integer>> place(
      Map<String, Integer> points, int minSegments, Map<String, Integer> live) {
    int wanted = Math.min(minSegments, live.size());
    if (wanted <= points.size()) {
      return Optional.empty();
    }
    List<String> joining = fewestPointsFirst(live, points.keySet(), wanted - points.size());
    Map<String, Integer> placed = new TreeMap<>(points);
    if (points.isEmpty()) {
      joining.forEach(node -> placed.put(node, share(joining.indexOf(node), wanted)));
      return Optional.of(placed);
    }
    int share = Math.max(1, QueueWeights.TOTAL / wanted);
    for (int moved = 0; moved < share * joining.size(); moved++) {
      placed.merge(largestHolder(placed), -1, Integer::sum);
    }
    joining.forEach(node -> placed.put(node, share));
    return Optional.of(placed);
  }

  private static List<String> fewestPointsFirst(
      Map<String, Integer> live, Set<String> holders, int count) {
    return live.entrySet().stream()
        .filter(node -> !holders.contains(node.getKey()))
        .sorted(Map.Entry.<String, Integer>comparingByValue().thenComparing(Map.Entry::getKey))
        .limit(count)
        .map(Map.Entry::getKey)
        .collect(Collectors.toCollection(ArrayList::new));
  }

  /** Equal shares by largest remainder: the first ones get the points that are left over. */
  private static int share(int position, int segments) {
    int leftOver = QueueWeights.TOTAL % segments;
    return QueueWeights.TOTAL / segments + (position < leftOver ? 1 : 0);
  }

  private static String largestHolder(Map<String, Integer> points) {
    return points.entrySet().stream().max(Map.Entry.comparingByValue()).orElseThrow().getKey();
  }
}
