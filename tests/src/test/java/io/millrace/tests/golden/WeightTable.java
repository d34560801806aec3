package io.millrace.tests.golden;

import io.millrace.manager.weight.PointAllocation;
import io.millrace.manager.weight.WeightCandidate;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** The initial points of a queue, and the new owners of the points of lost nodes. */
final class WeightTable {
  private static final List<WeightCandidate> LIVE =
      List.of(
          new WeightCandidate("n1", 900, 1, 0.2),
          new WeightCandidate("n2", 100, 1, 0.6),
          new WeightCandidate("n3", 0, 2, 0.1));

  private static final List<Map<String, Integer>> ROWS =
      List.of(
          Map.of("n1", 1000),
          Map.of("n1", 500, "n2", 500),
          Map.of("n1", 334, "n2", 333, "n3", 333),
          Map.of("gone", 1000),
          Map.of("gone", 997, "n2", 3),
          Map.of("gone", 400, "n1", 300, "n2", 299, "n3", 1));

  String text() {
    StringBuilder text = new StringBuilder();
    LIVE.forEach(
        node -> text.append(node.toString().replaceFirst("^[A-Za-z]+", "live: ")).append('\n'));
    for (int segments = 1; segments <= 3; segments++) {
      text.append("first row, at least %d segments: ".formatted(segments))
          .append(sorted(PointAllocation.place(Map.of(), segments, LIVE).orElseThrow()))
          .append('\n');
    }
    for (Map<String, Integer> row : ROWS) {
      for (int segments = 1; segments <= 3; segments++) {
        text.append("%s, at least %d segments%n".formatted(sorted(row), segments));
        text.append("  placed: ")
            .append(
                PointAllocation.place(row, segments, LIVE)
                    .map(WeightTable::sorted)
                    .map(Object::toString)
                    .orElse("as it is"))
            .append('\n');
        text.append("  healed: ")
            .append(
                PointAllocation.reassign(row, Set.of("gone"), segments, LIVE)
                    .map(WeightTable::sorted)
                    .map(Object::toString)
                    .orElse("as it is"))
            .append('\n');
      }
    }
    return text.toString();
  }

  private static Map<String, Integer> sorted(Map<String, Integer> row) {
    return new TreeMap<>(row);
  }
}
