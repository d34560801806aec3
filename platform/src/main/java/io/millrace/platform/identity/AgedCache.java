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

  /** The value if it was read within the time before now. */
  public Optional<V> within(Duration time, K key) {
    return entries
        .get(key)
        .filter(one -> clock.nanoTime() - one.at() < time.toNanos())
        .map(Aged::value);
  }

  /**
   * Puts a value that was read from elsewhere. Its age counts from before the read: a process that
   * was frozen between read and put must not take what it read for new, and a value that was read
   * later stays: it may be one that ended what this one still shows.
   *
   * @param readAt the monotonic clock's time before the read, in nanoseconds
   */
  public void put(K key, V value, long readAt) {
    entries.merge(
        key, new Aged<>(value, readAt), (known, read) -> read.at() - known.at() < 0 ? known : read);
  }
}
