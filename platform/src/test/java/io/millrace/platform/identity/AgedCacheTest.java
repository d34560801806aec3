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
    cache.put("a", 1, clock.nanoTime());
    clock.advance(TIME.minusNanos(1));
    assertThat(cache.within(TIME, "a")).contains(1);
    clock.advance(Duration.ofNanos(1));
    assertThat(cache.within(TIME, "a")).isEmpty();
    assertThat(cache.within(TIME.multipliedBy(2), "a")).contains(1);
    cache.put("a", 2, clock.nanoTime());
    assertThat(cache.within(TIME, "a")).contains(2);
  }

  @Test
  void aStepOfTheWallClockChangesNoAge() {
    cache.put("a", 1, clock.nanoTime());
    clock.stepWall(Duration.ofHours(1));
    assertThat(cache.within(TIME, "a")).contains(1);
  }

  @Test
  void theLeastRecentlyUsedOneGoesFirst() {
    cache.put("a", 1, clock.nanoTime());
    cache.put("b", 2, clock.nanoTime());
    cache.put("c", 3, clock.nanoTime());
    assertThat(cache.within(TIME, "a")).isEmpty();
    assertThat(cache.within(TIME, "c")).contains(3);
  }

  @Test
  void aValueThatWasReadEarlierDoesNotReplaceALaterOne() {
    long readAt = clock.nanoTime();
    clock.advance(Duration.ofMillis(1));
    cache.put("a", 2, clock.nanoTime());

    cache.put("a", 1, readAt);

    assertThat(cache.within(TIME, "a")).contains(2);
  }

  @Test
  void theAgeOfAValueCountsFromBeforeItWasRead() {
    long readAt = clock.nanoTime();
    clock.advance(TIME);
    cache.put("a", 1, readAt);
    assertThat(cache.within(TIME, "a")).isEmpty();
  }
}
