package io.millrace.queuenode.store;

/**
 * The batch names of one queue by 128 bits of their hashes, with the number of events of each, in
 * arrays of primitives. One thread.
 */
final class HashedBatches extends QueueBatches<HashedBatches.Hashes> {
  private static final int MIN_TABLE = 1 << 6;
  private static final int POSITION_MASK = Integer.MAX_VALUE;

  /** A name's hash. */
  record Hash(long high, long low) {}

  /** Hashes of neighbouring names. */
  static final class Hashes extends Chunk {
    private final long[] high = new long[CHUNK_SIZE];
    private final long[] low = new long[CHUNK_SIZE];
    private final int[] events = new int[CHUNK_SIZE];

    long high(long position) {
      return high[offset(position)];
    }

    long low(long position) {
      return low[offset(position)];
    }

    int events(long position) {
      return events[offset(position)];
    }
  }

  // Positions of names by their hashes, 0 for none: a table with linear probing.
  private int[] table = new int[MIN_TABLE];

  HashedBatches(int queue) {
    super(queue, Hashes::new);
  }

  /** How many events were stored under the name; 0 when it is not remembered. */
  int events(Hash hash) {
    int slot = slot(hash.high(), hash.low());
    return table[slot] == 0 ? 0 : eventsAt(position(table[slot]));
  }

  private int eventsAt(long position) {
    return chunk(position).events(position);
  }

  void add(long serial, Hash hash, int events) {
    if (4 * (count() + 1) > 3L * table.length) {
      resize(2 * table.length);
    }
    long position = next();
    add(serial);
    Hashes hashes = chunk(position);
    hashes.high[offset(position)] = hash.high();
    hashes.low[offset(position)] = hash.low();
    hashes.events[offset(position)] = events;
    table[slot(hash.high(), hash.low())] = entry(position);
  }

  @Override
  void dropOldest() {
    removeEntry(first());
    super.dropOldest();
  }

  /** If the name was added again, another slot refers to it. */
  private void removeEntry(long position) {
    int slot = slotOf(position);
    if (table[slot] == entry(position)) {
      free(slot);
    }
  }

  @Override
  void commit() {
    super.commit();
    // A queue that has lost its share to others releases its larger table.
    if (table.length > MIN_TABLE && 8 * count() < table.length) {
      resize(table.length / 2);
    }
  }

  @Override
  void rollback() {
    for (long position = next() - 1; position >= Math.max(first(), committedNext()); position--) {
      removeEntry(position);
    }
    // Removed names are still in their chunks.
    long end = Math.min(first(), committedNext());
    super.rollback();
    for (long position = first(); position < end; position++) {
      int slot = slotOf(position);
      // A replay may have added the name again; the younger one counts.
      if (table[slot] == 0 || position(table[slot]) < position) {
        table[slot] = entry(position);
      }
    }
  }

  private void resize(int length) {
    table = new int[length];
    for (long position = first(); position < next(); position++) {
      table[slotOf(position)] = entry(position);
    }
  }

  private int slotOf(long position) {
    Hashes hashes = chunk(position);
    return slot(hashes.high(position), hashes.low(position));
  }

  /** The slot of a hash in the table, or the free slot for it. */
  private int slot(long high, long low) {
    int mask = table.length - 1;
    int slot = (int) low & mask;
    while (table[slot] != 0) {
      long position = position(table[slot]);
      Hashes hashes = chunk(position);
      if (hashes.low(position) == low && hashes.high(position) == high) {
        return slot;
      }
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  /** Frees a slot, and moves later entries up that would no longer be found. */
  private void free(int slot) {
    int mask = table.length - 1;
    int hole = slot;
    for (int probe = (slot + 1) & mask; table[probe] != 0; probe = (probe + 1) & mask) {
      long position = position(table[probe]);
      int home = (int) chunk(position).low(position) & mask;
      if (((probe - home) & mask) >= ((probe - hole) & mask)) {
        table[hole] = table[probe];
        hole = probe;
      }
    }
    table[hole] = 0;
  }

  private static int entry(long position) {
    return (int) position | Integer.MIN_VALUE;
  }

  /** Names remembered at once have positions less than 2<sup>31</sup> apart. */
  private long position(int entry) {
    return first() + ((entry - (int) first()) & POSITION_MASK);
  }
}
