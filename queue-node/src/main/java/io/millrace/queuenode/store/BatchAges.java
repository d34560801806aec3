package io.millrace.queuenode.store;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * The ages of the remembered batch names, on the monotonic clock: a step of the wall clock must not
 * forget a name while its producer still repeats. One mark stands for all names of a second, so the
 * memory does not grow with their number. Used by the writer's thread; {@link #isOld} by any.
 */
final class BatchAges {
  /** How long a name is remembered at most: longer than its producer repeats it. */
  static final Duration KEPT = Duration.ofMinutes(10);

  private static final long GRAIN_NANOS = Duration.ofSeconds(1).toNanos();

  /**
   * Names added within a second of each other.
   *
   * @param begunNanos when the first of them was added
   * @param latestNanos when the last of them was added
   * @param last serial number of the last of them
   */
  private record Mark(long begunNanos, long latestNanos, long last) {}

  private final Deque<Mark> marks = new ArrayDeque<>();
  private boolean added;
  private long addedNanos;
  private volatile Mark oldest;

  /** A name was added in the running transaction. */
  void added(long nowNanos) {
    added = true;
    addedNanos = nowNanos;
  }

  /** The serial number up to which names are too old; 0 for none. */
  long old(long nowNanos) {
    long through = 0;
    for (Mark mark : marks) {
      if (!isOld(mark, nowNanos)) {
        break;
      }
      through = mark.last();
    }
    return through;
  }

  /** Whether there are names too old. Any thread. */
  boolean isOld(long nowNanos) {
    Mark first = oldest;
    return first != null && isOld(first, nowNanos);
  }

  /**
   * Takes note of what the committed transaction added and forgot.
   *
   * @param first serial number of the oldest name that is remembered
   * @param last serial number of the newest
   */
  void commit(long first, long last) {
    if (added) {
      Mark newest = marks.peekLast();
      boolean joins = newest != null && addedNanos - newest.begunNanos() < GRAIN_NANOS;
      long begun = joins ? marks.removeLast().begunNanos() : addedNanos;
      marks.add(new Mark(begun, addedNanos, last));
      added = false;
    }
    while (!marks.isEmpty() && marks.peek().last() < first) {
      marks.remove();
    }
    oldest = marks.peek();
  }

  void rollback() {
    added = false;
  }

  private static boolean isOld(Mark mark, long nowNanos) {
    return nowNanos - mark.latestNanos() >= KEPT.toNanos();
  }
}
