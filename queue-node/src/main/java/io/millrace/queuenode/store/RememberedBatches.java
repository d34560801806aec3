package io.millrace.queuenode.store;

import io.millrace.queuenode.store.log.ByteReader;
import io.millrace.queuenode.store.log.ByteWriter;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;

/**
 * The batch names that a log store remembers, a limited number of them, the oldest forgotten first.
 * Every name has a serial number, the next one after that of the name before; forgetting moves the
 * lower end. Of a name 128 bits of a keyed hash and the number of its events are kept, in arrays of
 * primitives: about 30 bytes, however long it is.
 *
 * <p>A name that is not remembered is taken for a remembered one with a probability of one in
 * 2<sup>128</sup> for each that is remembered: below 10<sup>-31</sup> for a put into a store of ten
 * million names. The key is the store's own and random, so nobody can choose names that collide.
 *
 * <p>Changes are seen at once, and {@link #rollback} undoes those since {@link #commit}. One
 * thread, except {@link #figures} and {@link Image}.
 */
final class RememberedBatches {
  private static final int KEY_BYTES = 16;
  private static final int SMALLEST_TABLE = 1 << 10;
  private static final int CHUNK_BITS = 12;
  private static final int CHUNK_MASK = (1 << CHUNK_BITS) - 1;
  private static final int SERIAL_MASK = Integer.MAX_VALUE;

  /** Heap per remembered name at the default limit: a sixteenth of the heap holds them all. */
  private static final int HEAP_BYTES = 512;

  private static final int LEAST_BY_DEFAULT = 10_000;
  private static final int MOST_BY_DEFAULT = 4_000_000;

  /** Names of neighbouring serial numbers. What was committed never changes. */
  private static final class Chunk {
    private final long[] high = new long[1 << CHUNK_BITS];
    private final long[] low = new long[1 << CHUNK_BITS];
    private final int[] events = new int[1 << CHUNK_BITS];
  }

  private final int limit;
  private final MessageDigest digest;
  private final List<Chunk> chunks = new ArrayList<>();
  private final byte[] key = new byte[KEY_BYTES];
  // Serial numbers of names by their hashes, 0 for none: a table with linear probing.
  private int[] table = new int[SMALLEST_TABLE];
  private long first = 1;
  private long next = 1;
  private long early;
  private long committedFirst = 1;
  private long committedNext = 1;
  private long committedEarly;
  // The hash computed last.
  private long high;
  private long low;
  private volatile BatchFigures figures;

  /** Remembers nothing yet; its key is random until {@link #read} brings another. */
  RememberedBatches(int limit) {
    this.limit = limit;
    this.figures = new BatchFigures(0, limit, 0);
    new SecureRandom().nextBytes(key);
    try {
      this.digest = MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }

  /** How many names to remember when nobody says: one for each 512 bytes of the largest heap. */
  static int usualLimit(long maxHeapBytes) {
    return (int) Math.max(LEAST_BY_DEFAULT, Math.min(MOST_BY_DEFAULT, maxHeapBytes / HEAP_BYTES));
  }

  /** How many events were stored under the name; 0 when it is not remembered. */
  int events(Rows.BatchName name) {
    hash(name);
    int slot = slot();
    return table[slot] == 0 ? 0 : eventsOf(serial(table[slot]));
  }

  /**
   * Remembers a name that is not remembered under the next serial number, and forgets the oldest
   * one when there are more than the limit.
   */
  void add(Rows.BatchName name, int events) {
    hash(name);
    add(events);
  }

  private void add(int events) {
    if (4 * (next - first + 1) > 3L * table.length) {
      enlarge();
    }
    int at = chunkOf(next);
    if (at == chunks.size()) {
      chunks.add(new Chunk());
    }
    Chunk chunk = chunks.get(at);
    int place = (int) (next & CHUNK_MASK);
    chunk.high[place] = high;
    chunk.low[place] = low;
    chunk.events[place] = events;
    table[slot()] = entry(next);
    next++;
    if (next - first > limit) {
      dropFirst();
      early++;
    }
  }

  /** Forgets the names up to a serial number. */
  void forget(long through) {
    while (first <= through && first < next) {
      dropFirst();
    }
  }

  private void dropFirst() {
    load(first);
    int slot = slot();
    // Another place knows a name that was added again.
    if (table[slot] == entry(first)) {
      free(slot);
    }
    first++;
  }

  /** Serial number of the oldest name that is remembered. */
  long first() {
    return first;
  }

  /** Serial number of the newest name; one less than {@link #first} when there is none. */
  long last() {
    return next - 1;
  }

  void commit() {
    if (next == committedNext && first == committedFirst) {
      return;
    }
    long emptied = (first >>> CHUNK_BITS) - (committedFirst >>> CHUNK_BITS);
    chunks.subList(0, (int) Math.min(emptied, chunks.size())).clear();
    committedFirst = first;
    committedNext = next;
    committedEarly = early;
    figures = new BatchFigures(next - first, limit, early);
  }

  void rollback() {
    for (long serial = next - 1; serial >= Math.max(first, committedNext); serial--) {
      load(serial);
      int slot = slot();
      if (table[slot] == entry(serial)) {
        free(slot);
      }
    }
    // What was forgotten still lies in its chunk.
    long behind = Math.min(first, committedNext);
    first = committedFirst;
    next = committedNext;
    for (long serial = committedFirst; serial < behind; serial++) {
      load(serial);
      table[slot()] = entry(serial);
    }
    early = committedEarly;
  }

  /** The store is open: what was forgotten while its log was read has been counted before. */
  void opened() {
    early = 0;
    committedEarly = 0;
    figures = new BatchFigures(next - first, limit, 0);
  }

  /** As last committed. Any thread. */
  BatchFigures figures() {
    return figures;
  }

  private void enlarge() {
    long keptHigh = high;
    long keptLow = low;
    table = new int[2 * table.length];
    for (long serial = first; serial < next; serial++) {
      load(serial);
      table[slot()] = entry(serial);
    }
    high = keptHigh;
    low = keptLow;
  }

  /** Where the hash computed last stands in the table, or the free place where it belongs. */
  private int slot() {
    int mask = table.length - 1;
    int slot = (int) low & mask;
    while (table[slot] != 0) {
      long serial = serial(table[slot]);
      Chunk chunk = chunks.get(chunkOf(serial));
      int place = (int) (serial & CHUNK_MASK);
      if (chunk.low[place] == low && chunk.high[place] == high) {
        return slot;
      }
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  /** Frees a place, and moves up those behind it that would not be found any more. */
  private void free(int slot) {
    int mask = table.length - 1;
    int hole = slot;
    for (int probe = (slot + 1) & mask; table[probe] != 0; probe = (probe + 1) & mask) {
      int home = (int) lowOf(serial(table[probe])) & mask;
      if (((probe - home) & mask) >= ((probe - hole) & mask)) {
        table[hole] = table[probe];
        hole = probe;
      }
    }
    table[hole] = 0;
  }

  private static int entry(long serial) {
    return (int) serial | Integer.MIN_VALUE;
  }

  /** Names remembered at once have serial numbers less than 2<sup>31</sup> apart. */
  private long serial(int entry) {
    return first + ((entry - (int) first) & SERIAL_MASK);
  }

  private int chunkOf(long serial) {
    return (int) ((serial >>> CHUNK_BITS) - (committedFirst >>> CHUNK_BITS));
  }

  private int eventsOf(long serial) {
    return chunks.get(chunkOf(serial)).events[(int) (serial & CHUNK_MASK)];
  }

  private long lowOf(long serial) {
    return chunks.get(chunkOf(serial)).low[(int) (serial & CHUNK_MASK)];
  }

  private void load(long serial) {
    Chunk chunk = chunks.get(chunkOf(serial));
    high = chunk.high[(int) (serial & CHUNK_MASK)];
    low = chunk.low[(int) (serial & CHUNK_MASK)];
  }

  private void hash(Rows.BatchName name) {
    digest.update(key);
    for (int shift = 24; shift >= 0; shift -= 8) {
      digest.update((byte) (name.queue() >>> shift));
    }
    ByteBuffer hash = ByteBuffer.wrap(digest.digest(name.name().getBytes(StandardCharsets.UTF_8)));
    high = hash.getLong();
    low = hash.getLong();
  }

  /** What is committed, for another thread; costs no copy of the names. */
  Image image() {
    return new Image(key, committedFirst, committedNext, List.copyOf(chunks));
  }

  /**
   * Names at one moment. Any thread.
   *
   * @param first serial number of the oldest
   * @param next serial number behind the newest
   */
  @SuppressWarnings("ArrayRecordComponent") // the key never changes
  record Image(byte[] key, long first, long next, List<Chunk> chunks) {
    private static final int MOST_BYTES = 2 * Long.BYTES + 5;

    void write(ByteWriter writer) {
      writer.reserve(KEY_BYTES + 20 + MOST_BYTES * (next - first));
      writer.raw(key, 0, KEY_BYTES);
      writer.number(first);
      writer.number(next - first);
      for (long serial = first; serial < next; serial++) {
        Chunk chunk = chunks.get((int) ((serial >>> CHUNK_BITS) - (first >>> CHUNK_BITS)));
        int place = (int) (serial & CHUNK_MASK);
        writer.fixedLong(chunk.high[place]);
        writer.fixedLong(chunk.low[place]);
        writer.number(chunk.events[place]);
      }
    }
  }

  /** Takes over what {@link Image#write} wrote; nothing must be remembered yet. */
  void read(ByteReader reader) {
    for (int i = 0; i < KEY_BYTES; i++) {
      key[i] = (byte) reader.oneByte();
    }
    long oldest = reader.number();
    long count = reader.number();
    // With a smaller limit than before, the oldest are passed over.
    first = oldest + Math.max(0, count - limit);
    next = first;
    committedFirst = first;
    committedNext = first;
    for (long serial = oldest; serial < oldest + count; serial++) {
      high = reader.fixedLong();
      low = reader.fixedLong();
      int events = reader.smallNumber();
      if (serial >= first) {
        add(events);
      }
    }
    commit();
  }
}
