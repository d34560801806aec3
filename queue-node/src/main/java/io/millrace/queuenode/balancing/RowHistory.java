package io.millrace.queuenode.balancing;

import io.millrace.api.Pure;
import io.millrace.queuenode.balancing.BalancingSettings.MovePace;
import io.millrace.queuenode.balancing.BalancingSnapshot.ObservedQueue;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Recent changes of the weight rows, whoever made them. From it every node derives in the same way
 * which moved load is not visible yet, which direction is banned and how long no weight has
 * changed. Immutable.
 *
 * @param rows as last read; null before the first read
 * @param versions sum of their versions
 * @param changes the recent ones, oldest first
 * @param changedNanos when the rows last changed, or were first read
 */
@Pure
record RowHistory(
    List<ObservedQueue> rows, long versions, List<RowChange> changes, long changedNanos) {
  private static final double NEGLIGIBLE = 1e-7;
  static final RowHistory NONE = new RowHistory(null, 0, List.of(), 0);

  /** The history after reading the rows; the first read adds no changes. */
  RowHistory after(BalancingSnapshot seen, long nowNanos, Duration keep) {
    if (rows != null && seen.versions() == versions) {
      return this;
    }
    List<RowChange> kept = new ArrayList<>();
    for (RowChange change : changes) {
      if (nowNanos - change.atNanos() <= keep.toNanos()) {
        kept.add(change);
      }
    }
    kept.addAll(newChanges(seen.queues(), nowNanos));
    return new RowHistory(seen.queues(), seen.versions(), List.copyOf(kept), nowNanos);
  }

  private List<RowChange> newChanges(List<ObservedQueue> seen, long nowNanos) {
    if (rows == null) {
      return List.of();
    }
    Map<String, ObservedQueue> before = new HashMap<>();
    rows.forEach(row -> before.put(row.name(), row));
    List<RowChange> newChanges = new ArrayList<>();
    for (ObservedQueue now : seen) {
      ObservedQueue old = before.get(now.name());
      if (old != null && old.version() != now.version()) {
        newChanges.add(RowChange.between(old, now, nowNanos));
      }
    }
    return newChanges;
  }

  /** Load in absolute units that moved to or from nodes and is not visible there yet. */
  Map<String, Double> invisibleLoads(MovePace pace, long nowNanos) {
    Map<String, Double> loads = new HashMap<>();
    for (RowChange change : changes) {
      double part = pace.invisible(nowNanos - change.atNanos()) * change.loadPerPoint();
      if (part > NEGLIGIBLE) {
        change.points().forEach((node, points) -> loads.merge(node, points * part, Double::sum));
      }
    }
    return loads;
  }

  /** Whether points of the queue recently moved in the opposite direction. */
  boolean banned(String queue, String from, String to, Duration ban, long nowNanos) {
    for (RowChange change : changes) {
      if (nowNanos - change.atNanos() < ban.toNanos()
          && change.queue().equals(queue)
          && change.gained(from)
          && change.lost(to)) {
        return true;
      }
    }
    return false;
  }

  /** Points that a node lost within a period. */
  int lost(String node, Duration span, long nowNanos) {
    int points = 0;
    for (RowChange change : changes) {
      if (nowNanos - change.atNanos() < span.toNanos() && change.lost(node)) {
        points -= change.points().get(node);
      }
    }
    return points;
  }

  boolean quietFor(Duration span, long nowNanos) {
    return rows != null && nowNanos - changedNanos >= span.toNanos();
  }

  /**
   * A change of a weight row, as this node saw it.
   *
   * @param queue whose row
   * @param points gained and lost, by node's name
   * @param loadPerPoint at that time, in absolute units; 0 if unknown
   * @param atNanos when it was seen, monotonic
   */
  @Pure
  private record RowChange(
      String queue, Map<String, Integer> points, double loadPerPoint, long atNanos) {
    /** What changed between two versions of a row. */
    static RowChange between(ObservedQueue before, ObservedQueue after, long nowNanos) {
      Map<String, Integer> changed = new HashMap<>();
      after.points().forEach((node, points) -> changed.merge(node, points, Integer::sum));
      before.points().forEach((node, points) -> changed.merge(node, -points, Integer::sum));
      changed.values().removeIf(points -> points == 0);
      double perPoint = Double.isNaN(after.loadPerPoint()) ? 0 : after.loadPerPoint();
      return new RowChange(after.name(), Map.copyOf(changed), perPoint, nowNanos);
    }

    boolean gained(String node) {
      return points.getOrDefault(node, 0) > 0;
    }

    boolean lost(String node) {
      return points.getOrDefault(node, 0) < 0;
    }
  }
}
