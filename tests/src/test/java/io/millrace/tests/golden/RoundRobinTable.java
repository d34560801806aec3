package io.millrace.tests.golden;

import io.millrace.loadbalancer.forward.SmoothRoundRobin;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** The segments that a load balancer selects in sequence, for fixed seeds. */
final class RoundRobinTable {
  private static final List<Map<String, Integer>> ROWS =
      List.of(
          Map.of("q1", 1000),
          Map.of("q1", 500, "q2", 500),
          Map.of("q1", 700, "q2", 200, "q3", 100),
          Map.of("q1", 999, "q2", 1));

  String text() {
    StringBuilder text = new StringBuilder();
    for (Map<String, Integer> row : ROWS) {
      SmoothRoundRobin choice = new SmoothRoundRobin(new Random(3));
      text.append("### ").append(new TreeMap<>(row)).append('\n');
      text.append(picks(choice, row, 40));
      choice.charge("q1", 10);
      text.append("q1 has got ten more: ").append(picks(choice, row, 20));
    }
    return text.toString();
  }

  private static String picks(SmoothRoundRobin choice, Map<String, Integer> row, int count) {
    return IntStream.range(0, count)
        .mapToObj(number -> choice.pick(row).orElse("nobody"))
        .collect(Collectors.joining(" ", "", "\n"));
  }
}
