package io.millrace.platform.identity;

import io.millrace.platform.clock.Clock;
import java.time.Duration;
import java.util.Optional;

/**
 * Keeps a bounded number of values, and shows them as long as they are recent by the monotonic
 * clock. Thread-safe; never blocks.
 */
public final class AgedCache<K, V> {
  private final BoundedCache<K, Aged<V>> entries;
  private final Clock clock;

  /** An empty cache. */
  public AgedCache(int max, Clock clock) {
    this.entries = new BoundedCache<>(max);
    this.clock = clock;
  }

  private record Aged<V>(V value, long at) {}

  /** The value if it was put within the time before now. */
  public Optional<V> within(Duration time, K key) {
    return entries
        .get(key)
        .filter(one -> clock.nanoTime() - one.at() < time.toNanos())
        .map(Aged::value);
  }

  /** Puts a value, which is new now. */
  public void put(K key, V value) {
    entries.put(key, new Aged<>(value, clock.nanoTime()));
  }

  /** Forgets a value before it is old. */
  public void remove(K key) {
    entries.get(key).ifPresent(one -> entries.remove(key, one));
  }
}
