package io.millrace.loadbalancer.forward;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class NodeHealthTest {
  private static final long SECOND = Duration.ofSeconds(1).toNanos();

  private final NodeHealth health = new NodeHealth(Duration.ofSeconds(1), Duration.ofSeconds(4));

  @Test
  void failedNodeIsSkippedAtOnceAndProbedByOneRequestAfterItsPause() {
    health.failed("q1", 0);
    assertThat(health.usable("q1", SECOND / 2)).isFalse();
    assertThat(health.usable("q2", SECOND / 2)).isTrue();

    assertThat(health.usable("q1", SECOND)).isTrue();
    health.chosen("q1", SECOND);
    assertThat(health.usable("q1", SECOND + 1)).as("a second probe").isFalse();

    health.succeeded("q1");
    assertThat(health.usable("q1", SECOND + 2)).isTrue();
  }

  @Test
  void pauseDoublesUpToItsLimit() {
    health.failed("q1", 0);
    health.failed("q1", 0);
    assertThat(health.usable("q1", SECOND)).isFalse();
    assertThat(health.usable("q1", 2 * SECOND)).isTrue();
    for (int i = 0; i < 10; i++) {
      health.failed("q1", 0);
    }
    assertThat(health.usable("q1", 4 * SECOND)).isTrue();
  }

  @Test
  void nodeThatReturnedIsProbedAtOnceAndItsPauseIsShortAgain() {
    health.failed("q1", 0);
    health.failed("q1", 0);

    health.returned("q1", 0);

    assertThat(health.usable("q1", 0)).isTrue();
    health.chosen("q1", 0);
    assertThat(health.usable("q1", SECOND - 1)).as("a second probe").isFalse();
    assertThat(health.usable("q1", SECOND)).isTrue();
  }

  @Test
  void returnOfNodeThatNeverFailedChangesNothing() {
    health.returned("q1", 0);
    health.chosen("q1", 0);
    assertThat(health.usable("q1", 0)).isTrue();
  }
}
