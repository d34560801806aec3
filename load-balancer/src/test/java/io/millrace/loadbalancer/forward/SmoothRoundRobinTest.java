package io.millrace.loadbalancer.forward;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class SmoothRoundRobinTest {
  private final SmoothRoundRobin picker = new SmoothRoundRobin(null);

  @Test
  void weightsFourThreeTwoInterleaveEvenly() {
    StringBuilder order = new StringBuilder();
    for (int i = 0; i < 18; i++) {
      order.append(picker.pick(Map.of("A", 4, "B", 3, "C", 2)).orElseThrow());
    }
    assertThat(order).hasToString("ABCABACBAABCABACBA");
  }

  @Test
  void sharesAreExactOverThousandPicks() {
    Map<String, Integer> weights = Map.of("q1", 617, "q2", 333, "q3", 50);
    Map<String, Integer> picks = new HashMap<>();
    for (int i = 0; i < 1000; i++) {
      picks.merge(picker.pick(weights).orElseThrow(), 1, Integer::sum);
    }
    assertThat(picks).isEqualTo(weights);
  }

  @Test
  void batchesAreChargedPerEvent() {
    Map<String, Integer> weights = Map.of("q1", 500, "q2", 300, "q3", 200);
    Map<String, Long> events = new HashMap<>();
    for (int i = 0; i < 3000; i++) {
      int batch = 1 + (i * 7919) % 97;
      String node = picker.pick(weights).orElseThrow();
      picker.charge(node, batch - 1L);
      events.merge(node, (long) batch, Long::sum);
    }
    double total = events.values().stream().mapToLong(Long::longValue).sum();
    weights.forEach(
        (node, weight) ->
            assertThat(events.get(node) / total)
                .isBetween(weight / 1000.0 - 0.002, weight / 1000.0 + 0.002));
  }

  @Test
  void nodesWithoutWeightOrEligibilityAreNeverPicked() {
    for (int i = 0; i < 100; i++) {
      assertThat(picker.pick(Map.of("q1", 0, "q2", 5))).contains("q2");
    }
    assertThat(picker.pick(Map.of())).isEmpty();
    assertThat(picker.pick(Map.of("q1", 0))).isEmpty();
  }

  @Test
  void nodeThatComesBackIsNotFloodedWithWhatItMissed() {
    for (int i = 0; i < 1000; i++) {
      picker.pick(Map.of("q1", 500));
    }
    Map<String, Integer> both = Map.of("q1", 500, "q2", 500);
    int picked = 0;
    for (int i = 0; i < 10; i++) {
      picked += picker.pick(both).orElseThrow().equals("q2") ? 1 : 0;
    }
    assertThat(picked).isBetween(4, 6);
  }
}
