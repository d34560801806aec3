package io.millrace.platform.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.platform.clock.ManualClock;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class AdaptiveDelayTest {
  private final ManualClock clock = new ManualClock(Instant.EPOCH);
  private final AdaptiveDelay rest = new AdaptiveDelay(clock, Duration.ofMillis(20));

  @Test
  void theFirstWorkStartsAtOnce() {
    assertThat(rest.left()).isZero();
  }

  @Test
  void thePauseIsAsLongAsTheWorkTook() throws InterruptedException {
    work(Duration.ofMillis(5));

    assertThat(rest.left()).isEqualTo(Duration.ofMillis(5));
    clock.advance(Duration.ofMillis(4));
    assertThat(rest.left()).isEqualTo(Duration.ofMillis(1));
  }

  @Test
  void thePauseHasALongestLength() throws InterruptedException {
    work(Duration.ofSeconds(5));

    assertThat(rest.left()).isEqualTo(Duration.ofMillis(20));
  }

  @Test
  void afterIdleTimeThereIsNoPause() throws InterruptedException {
    work(Duration.ofMillis(5));
    clock.advance(Duration.ofMillis(5));

    assertThat(rest.left()).isZero();
  }

  private void work(Duration lasting) throws InterruptedException {
    rest.before();
    clock.advance(lasting);
    rest.after();
  }
}
