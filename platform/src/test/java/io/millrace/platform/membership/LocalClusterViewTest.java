package io.millrace.platform.membership;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.platform.clock.ManualClock;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class LocalClusterViewTest {

  private final ManualClock clock = new ManualClock(Instant.parse("2026-03-01T00:00:00Z"));
  private final LocalClusterView view = new LocalClusterView(clock);

  @Test
  void anEntryAgesByTheReadersMonotonicClockUntilItIsPublishedAgain() {
    view.publish("load", "q1", "{}");
    assertThat(view.entries("load").get("q1").age()).isZero();

    clock.advance(Duration.ofSeconds(3));
    assertThat(view.entries("load").get("q1").age()).isEqualTo(Duration.ofSeconds(3));

    view.publish("load", "q1", "{}");
    assertThat(view.entries("load").get("q1").age()).isZero();
  }

  @Test
  void anEntryThatIsNotRepeatedIsLeftOut() {
    view.publish("load", "q1", "{}");
    assertThat(view.entries("load")).containsKey("q1");

    clock.advance(ClusterView.STALE_AFTER);

    assertThat(view.entries("load")).isEmpty();
  }

  @Test
  void aStepOfTheWallClockMakesNothingStale() {
    view.publish("load", "q1", "{}");
    assertThat(view.entries("load")).containsKey("q1");

    clock.stepWall(Duration.ofDays(1));

    assertThat(view.entries("load")).containsKey("q1");
  }

  @Test
  void withdrawnEntriesDisappearImmediately() {
    view.publish("load", "q1", "{}");

    view.withdraw("load", "q1");

    assertThat(view.entries("load")).isEmpty();
  }

  @Test
  void topicsAreSeparateAndTheLatestValueCounts() {
    view.publish("load", "q1", "{\"a\":1}");
    view.publish("load", "q1", "{\"a\":2}");
    view.publish("alive", "q2", "{}");

    assertThat(view.entries("load").get("q1").json()).isEqualTo("{\"a\":2}");
    assertThat(view.entries("load")).doesNotContainKey("q2");
  }
}
