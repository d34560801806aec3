package io.millrace.simulator.balance;

import io.millrace.api.weight.MoveRequest.WeightMove;
import io.millrace.queuenode.balancing.BalancingDecision.PlannedMove;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The weight rows, modified by compare-and-set on their versions. Not thread-safe. */
final class WeightTable {
  private final Map<String, Integer> queueIndex = new HashMap<>();
  private final Map<String, Integer> nodeIndex = new HashMap<>();
  private final List<Map<String, Integer>> rows = new ArrayList<>();
  private final int[][] points;
  private final long[] versions;

  WeightTable(List<String> queues, List<String> nodes) {
    for (String queue : queues) {
      queueIndex.put(queue, queueIndex.size());
      rows.add(Map.of());
    }
    for (String node : nodes) {
      nodeIndex.put(node, nodeIndex.size());
    }
    this.points = new int[queues.size()][nodes.size()];
    this.versions = new long[queues.size()];
  }

  /** Sets a row regardless of its version; for the initial state. */
  void set(int queue, Map<String, Integer> row) {
    rows.set(queue, Map.copyOf(row));
    row.forEach((node, count) -> points[queue][nodeIndex.get(node)] = count);
    versions[queue]++;
  }

  /** Applies all moves, or none if a row has changed since they were decided. */
  boolean commit(List<PlannedMove> moves) {
    for (PlannedMove planned : moves) {
      WeightMove move = planned.move();
      if (versions[queueIndex.get(move.queue())] != move.version()) {
        return false;
      }
    }
    Map<Integer, Map<String, Integer>> changed = new HashMap<>();
    for (PlannedMove planned : moves) {
      WeightMove move = planned.move();
      Map<String, Integer> row =
          changed.computeIfAbsent(
              queueIndex.get(move.queue()), queue -> new HashMap<>(rows.get(queue)));
      row.merge(move.from(), -move.points(), Integer::sum);
      row.merge(move.to(), move.points(), Integer::sum);
    }
    changed.forEach(this::replace);
    return true;
  }

  private void replace(int queue, Map<String, Integer> row) {
    int sum = row.values().stream().mapToInt(Integer::intValue).sum();
    if (sum != 1000 || row.values().stream().anyMatch(count -> count < 0)) {
      throw new IllegalStateException("a policy has produced an invalid weight row:  " + row);
    }
    row.values().removeIf(count -> count == 0);
    Arrays.fill(points[queue], 0);
    set(queue, row);
  }

  int queueIndex(String queue) {
    return queueIndex.get(queue);
  }

  int nodeIndex(String node) {
    return nodeIndex.get(node);
  }

  public int points(int queue, int node) {
    return points[queue][node];
  }

  long version(int queue) {
    return versions[queue];
  }

  Map<String, Integer> row(int queue) {
    return rows.get(queue);
  }
}
