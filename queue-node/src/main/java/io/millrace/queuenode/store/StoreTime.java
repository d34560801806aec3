package io.millrace.queuenode.store;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.ToLongFunction;

/**
 * The writer's time by the queue for which it worked: what a request took by itself, its share of
 * the commit by that, and its share of the force by the bytes that had to reach the disk. Written
 * by the writer's thread; {@link #nanosByQueue} may be called by any.
 */
final class StoreTime {
  /** What one group asked for one queue. */
  private static final class Part {
    private long ranNanos;
    private long forcedBytes;
  }

  private final Map<String, Long> totals = new ConcurrentHashMap<>();
  private final Map<String, Part> group = new HashMap<>();

  /** A request of the group has been carried out. */
  void ran(Change<?> change, long nanos) {
    if (change.queue() != null) {
      Part part = group.computeIfAbsent(change.queue(), queue -> new Part());
      part.ranNanos += nanos;
      part.forcedBytes += change.forced() ? Math.max(1, change.bytes()) : 0;
    }
  }

  /** The group has ended; what its commit and its force took beside the requests. */
  void ended(long commitNanos, long forceNanos) {
    group.forEach((queue, part) -> totals.merge(queue, part.ranNanos, Long::sum));
    share(commitNanos, part -> part.ranNanos);
    share(forceNanos, part -> part.forcedBytes);
    group.clear();
  }

  private void share(long nanos, ToLongFunction<Part> size) {
    double whole = group.values().stream().mapToLong(size).sum();
    if (whole > 0) {
      group.forEach(
          (queue, part) ->
              totals.merge(queue, Math.round(nanos * (size.applyAsLong(part) / whole)), Long::sum));
    }
  }

  /** Nanoseconds since the start, by queue; they only rise. */
  Map<String, Long> nanosByQueue() {
    return Map.copyOf(totals);
  }
}
