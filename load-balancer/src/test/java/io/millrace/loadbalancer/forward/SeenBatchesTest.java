package io.millrace.loadbalancer.forward;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.event.EventMedia;
import io.millrace.platform.time.ManualClock;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class SeenBatchesTest {
  private final ManualClock clock = new ManualClock(Instant.EPOCH);
  private final AtomicInteger early = new AtomicInteger();
  private final SeenBatches seen = new SeenBatches(clock, 3, early::incrementAndGet);

  @Test
  void theEldestIsForgottenWhenThereAreTooMany() {
    for (int i = 1; i <= 3; i++) {
      seen.remember(batch("b" + i), "q1", 1);
    }
    seen.remember(batch("b1"), "q2", 1);
    seen.remember(batch("b4"), "q1", 1);

    assertThat(seen.find(batch("b2"))).isEmpty();
    assertThat(seen.find(batch("b1"))).contains(new SeenBatches.Seen("q2", 1));
    assertThat(seen.find(batch("b4"))).isPresent();
    assertThat(early).as("names forgotten early, counted").hasValue(1);
  }

  @Test
  void eachNameIsKeptForItsTime() {
    seen.remember(batch("b1"), "q1", 1);
    clock.advance(Duration.ofMinutes(9));
    seen.remember(batch("b2"), "q1", 1);
    clock.advance(Duration.ofMinutes(1));

    assertThat(seen.find(batch("b1"))).isEmpty();
    assertThat(seen.find(batch("b2"))).isPresent();
  }

  @Test
  void namesOfDifferentQueuesAreDifferent() {
    seen.remember(batch("b1"), "q1", 1);
    Batch other = new Batch("quiet", "b1", true, EventMedia.JSON, "", new byte[0]);
    assertThat(seen.find(other)).isEmpty();
  }

  private static Batch batch(String name) {
    return new Batch("alert", name, true, EventMedia.JSON, "", new byte[0]);
  }
}
