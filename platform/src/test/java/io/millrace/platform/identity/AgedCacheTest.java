package io.millrace.platform.identity;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.platform.clock.ManualClock;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class AgedCacheTest {
  private static final Duration TIME = Duration.ofSeconds(5);

  private final ManualClock clock = new ManualClock(Instant.EPOCH);
  private final AgedCache<String, Integer> cache = new AgedCache<>(2, clock);

  @Test
  void aValueIsShownAsLongAsItIsRecent() {
    cache.put("a", 1);
    clock.advance(TIME.minusNanos(1));
    assertThat(cache.within(TIME, "a")).contains(1);
    clock.advance(Duration.ofNanos(1));
    assertThat(cache.within(TIME, "a")).isEmpty();
    assertThat(cache.within(TIME.multipliedBy(2), "a")).contains(1);
    cache.put("a", 2);
    assertThat(cache.within(TIME, "a")).contains(2);
  }

  @Test
  void aStepOfTheWallClockChangesNoAge() {
    cache.put("a", 1);
    clock.stepWall(Duration.ofHours(1));
    assertThat(cache.within(TIME, "a")).contains(1);
  }

  @Test
  void theLeastRecentlyUsedOneGoesFirst() {
    cache.put("a", 1);
    cache.put("b", 2);
    cache.put("c", 3);
    assertThat(cache.within(TIME, "a")).isEmpty();
    assertThat(cache.within(TIME, "c")).contains(3);
  }
}
