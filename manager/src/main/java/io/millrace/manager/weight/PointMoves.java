package io.millrace.manager.weight;

import io.millrace.api.MessageText;
import io.millrace.api.Pure;
import io.millrace.api.queue.QueueWeights;
import io.millrace.api.weight.MoveRequest.WeightMove;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** Applies moves to a queue's points, and derives moves from two states of them. Pure. */
@Pure
public final class PointMoves {
  /** A move that cannot be carried out; the message is human-readable. */
  public static final class Refused extends Exception {
    private static final long serialVersionUID = 1L;

    Refused(String message) {
      super(message);
    }
  }

  private PointMoves() {}

  /**
   * The queue's points after the moves.
   *
   * @param row as it is now
   * @param moves of this queue, each of at least 1 point
   * @param minSegments minimum of segments, as far as nodes take weight
   * @param takers names of the nodes that may get points
   * @throws Refused when a giver does not have the points, a receiver takes no weight, or the queue
   *     would fall below its minimum of segments
   */
  public static Map<String, Integer> apply(
      QueueWeights row, Collection<WeightMove> moves, int minSegments, Set<String> takers)
      throws Refused {
    Map<String, Integer> points = new TreeMap<>(row.points());
    for (WeightMove move : moves) {
      apply(points, move, takers);
    }
    int min = Math.min(minSegments, takers.size());
    if (points.size() < min && points.size() < row.points().size()) {
      throw new Refused(
          "%s would be left with %d segments, but its minimum is %d while %d nodes take weight; move less, or to a node without the queue"
              .formatted(row.queue(), points.size(), minSegments, takers.size()));
    }
    return points;
  }

  private static void apply(Map<String, Integer> points, WeightMove move, Set<String> takers)
      throws Refused {
    int held = points.getOrDefault(move.from(), 0);
    if (held < move.points()) {
      throw new Refused(
          "%s has %s of %s, not %d"
              .formatted(
                  move.from(), MessageText.counted(held, "point"), move.queue(), move.points()));
    }
    if (!takers.contains(move.to())) {
      throw new Refused(
          move.to()
              + " takes no weight: it is not registered, silent, draining or in maintenance; choose"
              + " another receiver");
    }
    points.put(move.from(), held - move.points());
    points.merge(move.to(), move.points(), Integer::sum);
    points.values().removeIf(share -> share == 0);
  }

  /**
   * The moves from one state of a queue's points to another; new points come from null.
   *
   * @param version of the row before
   */
  public static List<WeightMove> between(
      String queue, long version, Map<String, Integer> before, Map<String, Integer> after) {
    Map<String, Integer> decreases = differences(after, before);
    Map<String, Integer> taken = differences(before, after);
    List<WeightMove> moves = new ArrayList<>();
    for (Map.Entry<String, Integer> taker : taken.entrySet()) {
      int remaining = taker.getValue();
      for (Map.Entry<String, Integer> giver : decreases.entrySet()) {
        int moved = Math.min(remaining, giver.getValue());
        if (moved > 0) {
          moves.add(new WeightMove(queue, version, giver.getKey(), taker.getKey(), moved));
          giver.setValue(giver.getValue() - moved);
          remaining -= moved;
        }
      }
      if (remaining > 0) {
        moves.add(new WeightMove(queue, version, null, taker.getKey(), remaining));
      }
    }
    return List.copyOf(moves);
  }

  /** The gain of each node that has more in the second than in the first. */
  private static Map<String, Integer> differences(
      Map<String, Integer> first, Map<String, Integer> second) {
    Map<String, Integer> more = new TreeMap<>();
    second.forEach(
        (node, points) -> {
          int gained = points - first.getOrDefault(node, 0);
          if (gained > 0) {
            more.put(node, gained);
          }
        });
    return more;
  }
}
