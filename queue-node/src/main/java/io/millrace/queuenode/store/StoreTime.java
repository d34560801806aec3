package io.millrace.queuenode.store;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.ToLongFunction;

/**
 * The writer's time by queue: the time of each request, a share of the commit in proportion to it,
 * and a share of the force in proportion to the bytes forced. Updated by the writer's thread;
 * {@link #nanosByQueue} may be called by any.
 */
final class StoreTime {
  /** The work of one group for one queue. */
  private static final class Part {
    private long ranNanos;
    private long forcedBytes;
  }

  private final Map<String, Long> totals = new ConcurrentHashMap<>();
  private final Map<String, Part> group = new HashMap<>();

  /** Adds a request of the group. */
  void ran(Change<?, ?> change, long nanos) {
    if (change.queue() != null) {
      Part part = group.computeIfAbsent(change.queue(), queue -> new Part());
      part.ranNanos += nanos;
      part.forcedBytes += change.forced() ? Math.max(1, change.bytes()) : 0;
    }
  }

  /** Ends the group, with the time of its commit and its force beyond the requests. */
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

  /** Nanoseconds since the start, by queue; never decreasing. */
  Map<String, Long> nanosByQueue() {
    return Map.copyOf(totals);
  }
}
