package io.millrace.queuenode.store;

import io.millrace.queuenode.store.DeliveryState.DeliveryStateCodec.EventCodec;
import io.millrace.queuenode.store.log.EventLog;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads rows of a log store: events from memory or the log, their delivery states from the index. A
 * queue with unreadable events is marked. One thread.
 */
final class LogReads {
  private static final Logger LOGGER = LoggerFactory.getLogger(LogReads.class);

  private record Oldest(long seq, long storedAt) {}

  private final EventLog log;
  private final EventIndex index;
  private final RecentRows recent;
  private final Map<Integer, String> unreadable = new HashMap<>();
  private final Map<Integer, Oldest> oldest = new HashMap<>();

  LogReads(EventLog log, EventIndex index, RecentRows recent) {
    this.log = log;
    this.index = index;
    this.recent = recent;
  }

  Optional<String> unreadable(int queue) {
    return Optional.ofNullable(unreadable.get(queue));
  }

  /** The rows of live events of a queue, in the order of the given numbers. */
  List<Rows.Row> rows(int queue, long[] seqs) {
    Rows.Row[] rows = new Rows.Row[seqs.length];
    int missing = 0;
    for (int i = 0; i < seqs.length; i++) {
      rows[i] = recent.get(seqs[i]);
      missing += rows[i] == null ? 1 : 0;
    }
    if (missing > 0) {
      fill(queue, rows, seqs, missing);
    }
    for (int i = 0; i < rows.length; i++) {
      rows[i] = withCurrentState(rows[i]);
    }
    return Arrays.asList(rows);
  }

  private void fill(int queue, Rows.Row[] rows, long[] seqs, int missing) {
    long[] wanted = new long[missing];
    int next = 0;
    for (int i = 0; i < seqs.length; i++) {
      if (rows[i] == null) {
        wanted[next++] = seqs[i];
      }
    }
    Arrays.sort(wanted);
    Rows.Row[] read = new Rows.Row[missing];
    try {
      log.read(
          wanted,
          (seq, common, content) ->
              read[Arrays.binarySearch(wanted, seq)] = EventCodec.row(common, content));
    } catch (IOException e) {
      throw mark(queue, e);
    }
    for (int i = 0; i < seqs.length; i++) {
      if (rows[i] == null) {
        rows[i] = read[Arrays.binarySearch(wanted, seqs[i])];
      }
    }
  }

  private StoreFailure mark(int queue, IOException cause) {
    String reason = String.valueOf(cause.getMessage());
    if (unreadable.putIfAbsent(queue, reason) == null) {
      LOGGER.error("events of a queue cannot be read: {}", reason);
    }
    return new StoreFailure("events of this queue cannot be read", cause);
  }

  private Rows.Row withCurrentState(Rows.Row row) {
    DeliveryState known = index.delivery(row.delivery().seq());
    if (known != null) {
      return new Rows.Row(known, row.event());
    }
    return row.delivery().state() == EventState.READY
        ? row
        : new Rows.Row(row.delivery().in(EventState.READY, 0, 0), row.event());
  }

  /** When the first ready event was stored; 0 if there is none or it cannot be read. */
  long oldestReady(int queue) {
    long seq = index.queue(queue).firstReady();
    if (seq == 0) {
      return 0;
    }
    DeliveryState known = index.delivery(seq);
    if (known != null) {
      return known.storedAt();
    }
    Oldest before = oldest.get(queue);
    if (before != null && before.seq() == seq) {
      return before.storedAt();
    }
    try {
      long storedAt = rows(queue, new long[] {seq}).get(0).delivery().storedAt();
      oldest.put(queue, new Oldest(seq, storedAt));
      return storedAt;
    } catch (StoreFailure e) {
      // Reported by the mark: a figure must not keep the store from opening or committing.
      return 0;
    }
  }

  /**
   * The most recent rows: those of the current transaction, which are not in the log yet, and some
   * megabytes of earlier ones, so that workers that keep up are served without a read. One thread.
   */
  static final class RecentRows {
    private static final int SLOTS = 1 << 14;
    private static final long BYTES = 8 << 20;

    private final Rows.Row[] slots = new Rows.Row[SLOTS];
    private final List<Rows.Row> pending = new ArrayList<>();
    private long bytes;
    private long lowest;

    /** Keeps a row of the current transaction; sequence numbers ascend. */
    void add(Rows.Row row) {
      pending.add(row);
    }

    /** The row as it was inserted; null if it is no longer kept. */
    Rows.Row get(long seq) {
      if (!pending.isEmpty() && seq >= seq(pending.get(0))) {
        return pending(seq);
      }
      Rows.Row row = slots[slot(seq)];
      return row != null && seq(row) == seq ? row : null;
    }

    private Rows.Row pending(long seq) {
      int low = 0;
      int high = pending.size() - 1;
      while (low <= high) {
        int middle = (low + high) >>> 1;
        long found = seq(pending.get(middle));
        if (found == seq) {
          return pending.get(middle);
        }
        if (found < seq) {
          low = middle + 1;
        } else {
          high = middle - 1;
        }
      }
      return null;
    }

    /** Frees the memory of a row that is no longer needed. */
    void forget(long seq) {
      Rows.Row row = slots[slot(seq)];
      if (row != null && seq(row) == seq) {
        clear(slot(seq));
      }
    }

    void commit() {
      for (Rows.Row row : pending) {
        int slot = slot(seq(row));
        clear(slot);
        slots[slot] = row;
        bytes += row.delivery().bytes();
        long highest = seq(row);
        lowest = Math.max(lowest, highest - SLOTS + 1);
        while (bytes > BYTES && lowest < highest) {
          forget(lowest++);
        }
      }
      pending.clear();
    }

    void rollback() {
      pending.clear();
    }

    private void clear(int slot) {
      Rows.Row row = slots[slot];
      if (row != null) {
        bytes -= row.delivery().bytes();
        slots[slot] = null;
      }
    }

    private static int slot(long seq) {
      return (int) (seq & (SLOTS - 1));
    }

    private static long seq(Rows.Row row) {
      return row.delivery().seq();
    }
  }
}
