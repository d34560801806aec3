package io.millrace.queuenode.store;

import io.millrace.queuenode.store.HashedBatches.Hash;
import io.millrace.queuenode.store.HashedBatches.Hashes;
import io.millrace.queuenode.store.SegmentStore.BatchFigures;
import io.millrace.queuenode.store.log.ByteReader;
import io.millrace.queuenode.store.log.ByteWriter;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.List;

/**
 * The batch names that a log store remembers, a limited number of them. Beyond that the oldest name
 * of the queue with the most names is evicted ({@link BatchShares}), so that no queue can evict the
 * names of another that has fewer. Names have consecutive serial numbers. Of a name, 128 bits of a
 * keyed hash and the number of its events are kept in arrays of primitives: about 35 bytes,
 * whatever its length.
 *
 * <p>An unknown name is mistaken for a remembered one with a probability of one in 2<sup>128</sup>
 * for each remembered name: below 10<sup>-31</sup> for a put into a store of ten million names. The
 * key is random for each store, so colliding names cannot be chosen deliberately.
 *
 * <p>Changes are visible immediately, and {@link #rollback} undoes those since {@link #commit}. One
 * thread, except {@link #figures} and {@link Image}.
 */
final class RememberedBatches {
  private static final int KEY_BYTES = 16;

  /** Heap per remembered name at the default limit: a fourteenth of the heap holds them all. */
  private static final int HEAP_BYTES = 512;

  private static final int MIN_DEFAULT_LIMIT = 10_000;
  private static final int MAX_DEFAULT_LIMIT = 4_000_000;

  /** Holds the names from checkpoints of earlier versions, which do not record the queue. */
  private static final int QUEUE_UNKNOWN = 0;

  /** Written where checkpoints of earlier versions have a serial number. */
  private static final int BY_QUEUE = 0;

  private final int limit;
  private final MessageDigest digest;
  private final BatchShares<HashedBatches> shares = new BatchShares<>(HashedBatches::new);
  private final byte[] key = new byte[KEY_BYTES];
  private long next = 1;
  private long early;
  private int shortened;
  private long committedNext = 1;
  private long committedEarly;
  private volatile BatchFigures figures;

  /** Empty; the key is random until {@link #read} replaces it. */
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

  /** The default limit: one name for each 512 bytes of the maximum heap. */
  static int defaultLimit(long maxHeapBytes) {
    return (int)
        Math.max(MIN_DEFAULT_LIMIT, Math.min(MAX_DEFAULT_LIMIT, maxHeapBytes / HEAP_BYTES));
  }

  /** How many events were stored under the name; 0 if it is unknown. */
  int events(Rows.BatchName name) {
    Hash hash = hash(name);
    int events = events(name.queue(), hash);
    return events > 0 ? events : events(QUEUE_UNKNOWN, hash);
  }

  private int events(int queue, Hash hash) {
    HashedBatches names = shares.names(queue);
    return names == null ? 0 : names.events(hash);
  }

  /** Adds an unknown name under the next serial number, and evicts one if the limit is exceeded. */
  void add(Rows.BatchName name, int events) {
    add(name.queue(), next, hash(name), events);
    next++;
  }

  private void add(int queue, long serial, Hash hash, int events) {
    shares.add(queue, names -> names.add(serial, hash, events));
    if (shares.count() > limit) {
      shortened = shares.largest().queue();
      shares.dropOfLargest();
      early++;
    }
  }

  /** Forgets the names up to a serial number. */
  void forget(long through) {
    shares.forget(through);
  }

  /** Serial number of the oldest name; the next one if there is none. */
  long first() {
    return Math.min(next, shares.oldest());
  }

  /** Serial number of the newest name; one less than {@link #first} if there is none. */
  long last() {
    return next - 1;
  }

  /** The highest number of a queue that has names; 0 for none. */
  int highestQueue() {
    return shares.queues().stream().mapToInt(HashedBatches::queue).max().orElse(QUEUE_UNKNOWN);
  }

  /** The last queue that a name was evicted from; 0 for none. */
  int shortened() {
    return shortened;
  }

  void commit() {
    shares.commit();
    if (next != committedNext || shares.count() != figures.remembered()) {
      figures = new BatchFigures(shares.count(), limit, early);
    }
    committedNext = next;
    committedEarly = early;
  }

  void rollback() {
    shares.rollback();
    next = committedNext;
    early = committedEarly;
    // The undone transaction may have added that queue.
    shortened = 0;
  }

  /** Called when the store is open: evictions replayed from the log were counted before. */
  void opened() {
    early = 0;
    shortened = 0;
    committedEarly = 0;
    figures = new BatchFigures(shares.count(), limit, 0);
  }

  /** As last committed. Any thread. */
  BatchFigures figures() {
    return figures;
  }

  private Hash hash(Rows.BatchName name) {
    digest.update(key);
    for (int shift = 24; shift >= 0; shift -= 8) {
      digest.update((byte) (name.queue() >>> shift));
    }
    ByteBuffer hash = ByteBuffer.wrap(digest.digest(name.name().getBytes(StandardCharsets.UTF_8)));
    return new Hash(hash.getLong(), hash.getLong());
  }

  /** The committed names, for another thread; they are not copied. */
  Image image() {
    return new Image(
        key, committedNext, shares.queues().stream().map(HashedBatches::image).toList());
  }

  /**
   * A snapshot of the names. Any thread.
   *
   * @param next serial number after the newest
   */
  @SuppressWarnings("ArrayRecordComponent") // the key never changes
  record Image(byte[] key, long next, List<QueueBatches.Image<Hashes>> queues) {
    private static final int MAX_ENTRY_BYTES = 2 * Long.BYTES + 10;

    void write(ByteWriter writer) {
      long count = queues.stream().mapToLong(QueueBatches.Image::count).sum();
      writer.reserve(KEY_BYTES + 20 + 20L * queues.size() + MAX_ENTRY_BYTES * count);
      writer.raw(key, 0, KEY_BYTES);
      writer.number(BY_QUEUE);
      writer.number(next);
      writer.number(queues.size());
      queues.forEach(names -> write(writer, names));
    }

    private static void write(ByteWriter writer, QueueBatches.Image<Hashes> names) {
      writer.number(names.queue());
      writer.number(names.count());
      long before = 0;
      for (long position = names.first(); position < names.next(); position++) {
        Hashes hashes = names.chunk(position);
        writer.number(hashes.serial(position) - before);
        before = hashes.serial(position);
        writer.fixedLong(hashes.high(position));
        writer.fixedLong(hashes.low(position));
        writer.number(hashes.events(position));
      }
    }
  }

  /**
   * Loads what {@link Image#write}, also of an earlier version, wrote; must be empty. With a
   * smaller limit than before, never holds more than that limit.
   */
  void read(ByteReader reader) {
    for (int i = 0; i < KEY_BYTES; i++) {
      key[i] = (byte) reader.oneByte();
    }
    long oldest = reader.number();
    if (oldest == BY_QUEUE) {
      next = reader.number();
      for (long left = reader.number(); left > 0; left--) {
        readQueue(reader);
      }
    } else {
      next = oldest + reader.number();
      for (long serial = oldest; serial < next; serial++) {
        readName(reader, QUEUE_UNKNOWN, serial);
      }
    }
    opened();
    commit();
  }

  private void readQueue(ByteReader reader) {
    int queue = reader.smallNumber();
    long serial = 0;
    for (long left = reader.number(); left > 0; left--) {
      serial += reader.number();
      readName(reader, queue, serial);
    }
  }

  private void readName(ByteReader reader, int queue, long serial) {
    Hash hash = new Hash(reader.fixedLong(), reader.fixedLong());
    add(queue, serial, hash, reader.smallNumber());
    // After each name, so that those beyond the limit take no memory.
    shares.commit();
  }
}
