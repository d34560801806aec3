package io.millrace.queuenode.store;

import io.millrace.queuenode.store.log.ByteReader;
import io.millrace.queuenode.store.log.ByteWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.roaringbitmap.longlong.PeekableLongIterator;
import org.roaringbitmap.longlong.Roaring64Bitmap;

/**
 * The events of one queue by state, ready ones also by priority, as compressed sets of sequence
 * numbers: a contiguous backlog takes almost no memory, one interleaved with a thousand other
 * queues some bytes per event. One thread.
 */
final class QueueSets {
  private static final int PRIORITIES = 10;
  private static final int SETS = PRIORITIES + EventState.values().length - 1;

  private final Roaring64Bitmap[] sets = new Roaring64Bitmap[SETS];

  private static int slot(EventState state, int priority) {
    return state == EventState.READY ? priority : PRIORITIES - 1 + state.code();
  }

  boolean contains(EventState state, int priority, long seq) {
    Roaring64Bitmap set = sets[slot(state, priority)];
    return set != null && set.contains(seq);
  }

  /** Whether the event is in the state, whatever its priority. */
  boolean contains(EventState state, long seq) {
    int last = state == EventState.READY ? PRIORITIES - 1 : 0;
    for (int priority = 0; priority <= last; priority++) {
      if (contains(state, priority, seq)) {
        return true;
      }
    }
    return false;
  }

  void add(EventState state, int priority, long seq) {
    int slot = slot(state, priority);
    if (sets[slot] == null) {
      sets[slot] = new Roaring64Bitmap();
    }
    sets[slot].addLong(seq);
  }

  void remove(EventState state, int priority, long seq) {
    sets[slot(state, priority)].removeLong(seq);
  }

  /** The lowest ready sequence number; 0 for none. */
  long firstReady() {
    long first = 0;
    for (int priority = 0; priority < PRIORITIES; priority++) {
      Roaring64Bitmap set = sets[priority];
      if (set != null && !set.isEmpty() && (first == 0 || set.first() < first)) {
        first = set.first();
      }
    }
    return first;
  }

  /** Ready events in the order of leasing, after the given one; null for the first. */
  long[] ready(DeliveryState after, int limit) {
    Numbers found = new Numbers(limit);
    int highest = after == null ? PRIORITIES - 1 : after.priority();
    for (int priority = highest; priority >= 0; priority--) {
      boolean samePriority = after != null && priority == after.priority();
      collect(sets[priority], samePriority ? after.seq() : 0, found);
    }
    return found.toArray();
  }

  /** Events in a state with higher sequence numbers, ascending. */
  long[] in(EventState state, long afterSeq, int limit) {
    if (state != EventState.READY) {
      Numbers found = new Numbers(limit);
      collect(sets[slot(state, 0)], afterSeq, found);
      return found.toArray();
    }
    List<long[]> parts = new ArrayList<>();
    for (int priority = 0; priority < PRIORITIES; priority++) {
      Numbers found = new Numbers(limit);
      collect(sets[priority], afterSeq, found);
      parts.add(found.toArray());
    }
    return parts.stream().flatMapToLong(Arrays::stream).sorted().limit(limit).toArray();
  }

  /** Dead events with lower sequence numbers, descending. */
  long[] deadBefore(long beforeSeq, int limit) {
    Numbers found = new Numbers(limit);
    Roaring64Bitmap dead = sets[slot(EventState.DEAD, 0)];
    if (dead != null && !dead.isEmpty()) {
      // Not a reverse iterator from there: in RoaringBitmap 1.3.0 it may begin above its bound.
      long below = dead.rankLong(beforeSeq - 1);
      while (below > 0 && found.hasCapacity()) {
        below--;
        found.add(dead.select(below));
      }
    }
    return found.toArray();
  }

  private static void collect(Roaring64Bitmap set, long after, Numbers found) {
    if (set == null || !found.hasCapacity()) {
      return;
    }
    PeekableLongIterator numbers = set.getLongIteratorFrom(after + 1);
    while (numbers.hasNext() && found.hasCapacity()) {
      found.add(numbers.next());
    }
  }

  /** Adds the numbers of all states to a set. */
  void addTo(Roaring64Bitmap all) {
    for (Roaring64Bitmap set : sets) {
      if (set != null) {
        all.or(set);
      }
    }
  }

  /** All sets as bytes, which another thread may use; an empty set has length 0. */
  byte[][] bytes() {
    byte[][] bytes = new byte[SETS][];
    for (int slot = 0; slot < SETS; slot++) {
      bytes[slot] = bytes(sets[slot]);
    }
    return bytes;
  }

  private static byte[] bytes(Roaring64Bitmap set) {
    if (set == null || set.isEmpty()) {
      return new byte[0];
    }
    ByteBuffer buffer = ByteBuffer.allocate(Math.toIntExact(set.serializedSizeInBytes()));
    try {
      set.serialize(buffer);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return buffer.array();
  }

  /** The sets of {@link #bytes()}. */
  static QueueSets of(byte[][] bytes) {
    QueueSets queue = new QueueSets();
    for (int slot = 0; slot < SETS; slot++) {
      if (bytes[slot].length > 0) {
        queue.sets[slot] = new Roaring64Bitmap();
        try {
          queue.sets[slot].deserialize(ByteBuffer.wrap(bytes[slot]));
        } catch (IOException e) {
          throw new UncheckedIOException(e);
        }
      }
    }
    return queue;
  }

  static void write(ByteWriter writer, byte[][] bytes) {
    for (byte[] set : bytes) {
      writer.bytes(set);
    }
  }

  static QueueSets read(ByteReader reader) {
    byte[][] bytes = new byte[SETS][];
    for (int slot = 0; slot < SETS; slot++) {
      bytes[slot] = reader.bytes();
    }
    return of(bytes);
  }

  /** A list of numbers with a maximum length. */
  private static final class Numbers {
    private final int limit;
    private long[] values;
    private int size;

    Numbers(int limit) {
      this.limit = limit;
      this.values = new long[Math.min(limit, 256)];
    }

    boolean hasCapacity() {
      return size < limit;
    }

    void add(long value) {
      if (size == values.length) {
        values = Arrays.copyOf(values, Math.min(limit, 2 * size));
      }
      values[size++] = value;
    }

    long[] toArray() {
      return Arrays.copyOf(values, size);
    }
  }
}
