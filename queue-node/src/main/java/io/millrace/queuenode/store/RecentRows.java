package io.millrace.queuenode.store;

import java.util.ArrayList;
import java.util.List;

/**
 * The rows inserted last: those of the running transaction, which are not in the log yet, and some
 * megabytes of earlier ones, so that workers who keep up are served without a read. One thread.
 */
final class RecentRows {
  private static final int SLOTS = 1 << 14;
  private static final long BYTES = 8 << 20;

  private final Rows.Row[] slots = new Rows.Row[SLOTS];
  private final List<Rows.Row> pending = new ArrayList<>();
  private long bytes;
  private long lowest;

  /** Keeps a row of the running transaction; sequence numbers ascend. */
  void add(Rows.Row row) {
    pending.add(row);
  }

  /** The row as it was inserted; null when it is known no more. */
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

  /** Frees the memory of a row that nobody will ask for again. */
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
      bytes += row.standing().bytes();
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
      bytes -= row.standing().bytes();
      slots[slot] = null;
    }
  }

  private static int slot(long seq) {
    return (int) (seq & (SLOTS - 1));
  }

  private static long seq(Rows.Row row) {
    return row.standing().seq();
  }
}
