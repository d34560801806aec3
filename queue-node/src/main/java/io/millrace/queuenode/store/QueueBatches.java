package io.millrace.queuenode.store;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/**
 * The batch names of one queue that a store remembers, in the order of addition: the serial number
 * of each, and what the kind of chunk adds. Names are added at one end and removed at the other.
 * Changes are visible immediately, and {@link #rollback} undoes those since {@link #commit}. One
 * thread.
 *
 * @param <C> holds neighbouring names
 */
public class QueueBatches<C extends QueueBatches.Chunk> {
  /** Small, so that a queue with few names takes little. */
  private static final int CHUNK_BITS = 7;

  static final int CHUNK_SIZE = 1 << CHUNK_BITS;

  /** Serial numbers of neighbouring names. What was committed never changes. */
  public static class Chunk {
    private final long[] serials = new long[CHUNK_SIZE];

    /** The serial number of the name at a position. */
    final long serial(long position) {
      return serials[offset(position)];
    }
  }

  private final int queue;
  private final Supplier<C> maker;
  private final List<C> chunks = new ArrayList<>();
  // Positions count all names that the queue ever had.
  private long first;
  private long next;
  private long committedFirst;
  private long committedNext;

  public QueueBatches(int queue, Supplier<C> maker) {
    this.queue = queue;
    this.maker = maker;
  }

  public final int queue() {
    return queue;
  }

  final long count() {
    return next - first;
  }

  /** Serial number of the oldest name; the highest number when there is none. */
  public final long oldest() {
    return first == next ? Long.MAX_VALUE : chunk(first).serial(first);
  }

  final long first() {
    return first;
  }

  final long next() {
    return next;
  }

  final long committedNext() {
    return committedNext;
  }

  final C chunk(long position) {
    return chunks.get(index(position));
  }

  private int index(long position) {
    return (int) ((position >>> CHUNK_BITS) - (committedFirst >>> CHUNK_BITS));
  }

  /** The offset of a position in its chunk. */
  static int offset(long position) {
    return (int) position & (CHUNK_SIZE - 1);
  }

  /** Adds a name that is younger than all others. */
  public void add(long serial) {
    if (index(next) == chunks.size()) {
      chunks.add(maker.get());
    }
    Chunk chunk = chunk(next);
    chunk.serials[offset(next)] = serial;
    next++;
  }

  void dropOldest() {
    first++;
  }

  void commit() {
    long emptied = (first >>> CHUNK_BITS) - (committedFirst >>> CHUNK_BITS);
    chunks.subList(0, (int) Math.min(emptied, chunks.size())).clear();
    committedFirst = first;
    committedNext = next;
  }

  void rollback() {
    first = committedFirst;
    next = committedNext;
  }

  /** The committed names, for another thread; they are not copied. */
  final Image<C> image() {
    return new Image<>(queue, committedFirst, committedNext, List.copyOf(chunks));
  }

  /**
   * A snapshot of the names. Any thread.
   *
   * @param first position of the oldest
   * @param next position after the newest
   */
  record Image<C>(int queue, long first, long next, List<C> chunks) {
    long count() {
      return next - first;
    }

    C chunk(long position) {
      return chunks.get((int) ((position >>> CHUNK_BITS) - (first >>> CHUNK_BITS)));
    }
  }
}
