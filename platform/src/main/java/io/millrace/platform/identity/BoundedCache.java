package io.millrace.platform.identity;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.BinaryOperator;

/** Keeps a bounded number of entries; the least recently used one goes first. Thread-safe. */
public final class BoundedCache<K, V> {
  // Guarded by itself.
  private final Map<K, V> entries;

  /** An empty cache. */
  public BoundedCache(int max) {
    this.entries =
        new LinkedHashMap<>(16, 0.75f, true) {
          private static final long serialVersionUID = 1L;

          @Override
          protected boolean removeEldestEntry(Map.Entry<K, V> eldest) {
            return size() > max;
          }
        };
  }

  public Optional<V> get(K key) {
    synchronized (entries) {
      return Optional.ofNullable(entries.get(key));
    }
  }

  public void put(K key, V value) {
    synchronized (entries) {
      entries.put(key, value);
    }
  }

  /** Puts a value, or what the function makes of the value that is there and this one. */
  public void merge(K key, V value, BinaryOperator<V> function) {
    synchronized (entries) {
      entries.merge(key, value, function);
    }
  }

  /** Removes the entry unless its value was replaced meanwhile. */
  public void remove(K key, V value) {
    synchronized (entries) {
      entries.remove(key, value);
    }
  }
}
