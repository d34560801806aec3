package io.millrace.queuenode.store;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * The ages of the batch names in the store, on the monotonic clock: a step of the wall clock must
 * not forget a name while its producer still repeats. Used by the writer's thread; {@link #isOld}
 * by any.
 */
final class RecentBatches {
  /** How long a name is remembered (DESIGN §6: longer than its retries). */
  static final Duration KEPT = Duration.ofMinutes(10);

  private record Named(Rows.BatchName batch, long sinceNanos) {}

  private final Deque<Named> kept = new ArrayDeque<>();
  private final List<Named> added = new ArrayList<>();
  private final List<Named> taken = new ArrayList<>();
  private volatile Named oldest;

  void add(Rows.BatchName batch, long nowNanos) {
    added.add(new Named(batch, nowNanos));
  }

  /** Takes the names that are too old. */
  List<Rows.BatchName> takeOld(long nowNanos, int limit) {
    List<Rows.BatchName> old = new ArrayList<>();
    while (old.size() < limit && !kept.isEmpty() && isOld(kept.peek(), nowNanos)) {
      Named next = kept.poll();
      taken.add(next);
      old.add(next.batch());
    }
    oldest = kept.peek();
    return old;
  }

  /** Whether there is a name too old. Any thread. */
  boolean isOld(long nowNanos) {
    Named first = oldest;
    return first != null && isOld(first, nowNanos);
  }

  void commit() {
    taken.clear();
    kept.addAll(added);
    added.clear();
    oldest = kept.peek();
  }

  void rollback() {
    added.clear();
    for (int i = taken.size() - 1; i >= 0; i--) {
      kept.addFirst(taken.get(i));
    }
    taken.clear();
    oldest = kept.peek();
  }

  private static boolean isOld(Named named, long nowNanos) {
    return nowNanos - named.sinceNanos() >= KEPT.toNanos();
  }
}
