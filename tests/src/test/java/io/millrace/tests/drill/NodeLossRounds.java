package io.millrace.tests.drill;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.Map;
import java.util.SplittableRandom;

/** Rounds in which a queue node is killed and stays down until other nodes have its weight. */
final class NodeLossRounds {
  private static final Duration RESTORED_WITHIN = Duration.ofSeconds(45);
  // Longer than the limit, so that a violation reports the actual duration.
  private static final Duration TIMEOUT = Duration.ofMinutes(2);

  private final Drill drill;
  private final long seed;

  NodeLossRounds(Drill drill, long seed) {
    this.drill = drill;
    this.seed = seed;
  }

  /** One round for each queue node. */
  void play() throws Exception {
    for (String node : drill.cluster().shape().queueNodeNames()) {
      drill.round(
          "loss round of " + node,
          new SplittableRandom(seed + node.hashCode()),
          () -> {
            Duration took = lose(node);
            drill.cluster().restart(node);
            assertThat(took)
                .as("minimum of segments restored after the kill")
                .isLessThan(RESTORED_WITHIN);
            return "%s killed, its points on other nodes after %.1fs"
                .formatted(node, took.toMillis() / 1e3);
          });
    }
  }

  private Duration lose(String node) {
    long killed = System.nanoTime();
    drill.cluster().kill(node);
    await("the points of " + node + " are on other nodes")
        .atMost(TIMEOUT)
        .until(() -> Drill.QUEUES.stream().allMatch(queue -> restored(queue, node)));
    return Duration.ofNanos(System.nanoTime() - killed);
  }

  private boolean restored(String queue, String lost) {
    Map<String, Integer> points = drill.watch().points(queue);
    return points.size() >= Drill.SEGMENTS && !points.containsKey(lost);
  }
}
