package io.millrace.platform.identity;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class BoundedCacheTest {
  private final BoundedCache<Integer, String> cache = new BoundedCache<>(100);

  @Test
  void itKeepsTheNumberOfEntriesThatItMay() {
    for (int i = 0; i < 10_000; i++) {
      cache.put(i, "x");
    }
    assertThat(IntStream.range(0, 10_000).filter(i -> cache.get(i).isPresent()).toArray())
        .containsExactly(IntStream.range(9_900, 10_000).toArray());
  }

  @Test
  void theLeastRecentlyUsedEntryGoesFirst() {
    for (int i = 0; i < 100; i++) {
      cache.put(i, "x");
    }
    assertThat(cache.get(0)).contains("x");
    cache.put(100, "x");
    assertThat(cache.get(0)).contains("x");
    assertThat(cache.get(1)).isEmpty();
  }
}
