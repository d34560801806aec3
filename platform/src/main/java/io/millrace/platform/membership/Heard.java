package io.millrace.platform.membership;

import io.millrace.platform.clock.Clock;
import io.millrace.platform.membership.ClusterView.Entry;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What was heard on one topic and is fresh. Ages count from the hearing, on this process's
 * monotonic clock, so that no clocks of different hosts are ever compared. Thread-safe.
 */
final class Heard {
  private final Clock clock;
  private final Duration staleAfter;
  private final Map<String, Words> words = new ConcurrentHashMap<>();

  Heard(Clock clock, Duration staleAfter) {
    this.clock = clock;
    this.staleAfter = staleAfter;
  }

  /** Somebody has said this under the key. */
  void hear(String key, String json) {
    words.put(key, new Words(json, clock.nanoTime()));
  }

  /** What was said under the key no longer holds. */
  void forget(String key) {
    words.remove(key);
  }

  /** The fresh ones; stale ones are dropped for good. */
  Map<String, Entry> fresh() {
    Map<String, Entry> fresh = new HashMap<>();
    long now = clock.nanoTime();
    words.forEach(
        (key, said) -> {
          Duration age = Duration.ofNanos(Math.max(0, now - said.at));
          if (age.compareTo(staleAfter) < 0) {
            fresh.put(key, new Entry(said.json, age));
          } else {
            words.remove(key, said);
          }
        });
    return fresh;
  }

  private record Words(String json, long at) {}
}
