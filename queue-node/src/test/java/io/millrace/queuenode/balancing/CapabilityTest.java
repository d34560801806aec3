package io.millrace.queuenode.balancing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.millrace.queuenode.balancing.Capability.NodeWork;
import io.millrace.queuenode.balancing.Capability.NodeWork.QueueWork;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class CapabilityTest {
  private final Random random = new Random(7);

  @Test
  void aNodeWithAFourTimesSlowerStoreHasAQuarterOfTheCapability() {
    Capability capability = Capability.UNKNOWN;
    for (int sample = 0; sample < 600; sample++) {
      capability =
          capability.next(
              List.of(
                  work("q1", 1, 1, Map.of("cheap", 40.0, "dear", 5.0)),
                  work("q2", 1, 1, Map.of("cheap", 20.0, "dear", 9.0)),
                  work("slow", 1, 0.25, Map.of("cheap", 10.0, "dear", 2.0))),
              1);
    }
    assertThat(capability.speed("q1")).isEqualTo(1, within(0.1));
    assertThat(capability.speed("slow") / capability.speed("q1")).isEqualTo(0.25, within(0.03));
    assertThat(capability.speed("slow") / capability.speed("q2")).isEqualTo(0.25, within(0.03));
  }

  @Test
  void nodesWithoutACommonQueueAreComparedThroughOtherNodes() {
    Capability capability = Capability.UNKNOWN;
    for (int sample = 0; sample < 600; sample++) {
      capability =
          capability.next(
              List.of(
                  work("q1", 1, 1, Map.of("a", 20.0)),
                  work("q2", 1, 1, Map.of("a", 20.0, "b", 20.0)),
                  work("q3", 1, 1, Map.of("b", 20.0, "c", 10.0)),
                  work("slow", 1, 0.5, Map.of("c", 10.0))),
              1);
    }
    assertThat(capability.speed("slow") / capability.speed("q1")).isEqualTo(0.5, within(0.06));
  }

  @Test
  void aNodeWithExpensiveQueuesIsNotMistakenForASlowOne() {
    Capability capability = Capability.UNKNOWN;
    for (int sample = 0; sample < 600; sample++) {
      capability =
          capability.next(
              List.of(
                  work("q1", 1, 1, Map.of("cheap", 50.0, "dear", 1.0)),
                  work("q2", 1, 1, Map.of("cheap", 1.0, "dear", 12.0))),
              1);
    }
    assertThat(capability.speed("q1")).isEqualTo(1, within(0.1));
    assertThat(capability.speed("q2")).isEqualTo(1, within(0.1));
  }

  @Test
  void aConfiguredCapacityIsNotCountedTwice() {
    Capability capability = Capability.UNKNOWN;
    for (int sample = 0; sample < 600; sample++) {
      capability =
          capability.next(
              List.of(
                  work("q1", 1, 1, Map.of("a", 30.0)),
                  work("q2", 1, 1, Map.of("a", 30.0)),
                  work("weak", 0.25, 0.25, Map.of("a", 8.0))),
              1);
    }
    assertThat(capability.speed("weak")).isEqualTo(1, within(0.1));
  }

  @Test
  void anIdleNodeIsNotRated() {
    NodeWork quiet = new NodeWork("q1", 1, 0.04, Map.of("a", new QueueWork(1, 1)));
    NodeWork busy = new NodeWork("q2", 1, 0.5, Map.of("a", new QueueWork(100, 1)));
    Capability capability = Capability.UNKNOWN.next(List.of(quiet, busy), 3600);
    assertThat(capability.speed("q1")).isEqualTo(1);
    assertThat(capability.speed("stranger")).isEqualTo(1);
  }

  @Test
  void aSpeedChangesSlowlyAndStaysWithinBounds() {
    List<NodeWork> extreme =
        List.of(
            new NodeWork("q1", 1, 0.5, Map.of("a", new QueueWork(1e6, 1))),
            new NodeWork("q2", 1, 0.5, Map.of("a", new QueueWork(1e6, 1))),
            new NodeWork("q3", 1, 0.5, Map.of("a", new QueueWork(1, 1))));
    assertThat(Capability.UNKNOWN.next(extreme, 1).speed("q3")).isBetween(0.9, 1.0);
    assertThat(Capability.UNKNOWN.next(extreme, 3600).speed("q3"))
        .isEqualTo(1.0 / 16, within(1e-6));
  }

  /**
   * Load as it would be measured, with noise, at a hundredth a cheap event and a tenth a dear one.
   */
  private NodeWork work(String node, double configured, double speed, Map<String, Double> rates) {
    Map<String, Double> costs = new HashMap<>();
    double sum = 0;
    for (Map.Entry<String, Double> queue : new ArrayList<>(rates.entrySet())) {
      double cost = (queue.getKey().equals("dear") ? 0.05 : 0.01) * queue.getValue() / speed;
      double noisy = cost * (1 + 0.2 * random.nextGaussian());
      costs.put(queue.getKey(), Math.max(1e-6, noisy));
      sum += costs.get(queue.getKey());
    }
    Map<String, QueueWork> works = new HashMap<>();
    for (Map.Entry<String, Double> queue : rates.entrySet()) {
      works.put(queue.getKey(), new QueueWork(queue.getValue(), costs.get(queue.getKey()) / sum));
    }
    return new NodeWork(node, configured, Math.min(1, sum), works);
  }
}
