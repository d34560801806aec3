package io.millrace.queuenode.session.store;

import io.millrace.queuenode.store.StoreFailure;
import io.millrace.queuenode.store.log.ByteReader;
import io.millrace.queuenode.store.log.ByteWriter;
import io.millrace.queuenode.store.log.EventLog;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;

/**
 * Appends and reads the rows of the log. The most recent ones are kept in memory: those of the
 * current transaction, which are not in the log yet, and some megabytes of earlier ones, so that
 * workers that keep up are served without reading files. One thread.
 */
final class SessionRows {
  private static final int PLACES = 1 << 15;
  private static final long BYTES = 8 << 20;
  private static final long STEP = 1 << 20;
  private static final byte[] NOTHING_IN_COMMON = {};

  private final EventLog log;
  private final SessionBook book;
  private final ByteWriter scratch = new ByteWriter();
  private final byte[][] recent = new byte[PLACES][];
  private final long[] recentSeqs = new long[PLACES];
  // Rows of this transaction have consecutive numbers.
  private final List<byte[]> pending = new ArrayList<>();
  private long firstPending;
  private long bytes;
  private long lowest = 1;

  SessionRows(EventLog log, SessionBook book) {
    this.log = log;
    this.book = book;
  }

  /** Appends a row to the transaction; its sequence number. */
  long append(SessionRow row) {
    long seq = book.lastSeq() + 1;
    book.addLive(seq);
    scratch.clear();
    row.write(scratch);
    byte[] content = scratch.copy();
    log.group().beginEvent(NOTHING_IN_COMMON, seq).raw(content, 0, content.length);
    log.group().endEvent();
    if (pending.isEmpty()) {
      firstPending = seq;
    }
    pending.add(content);
    return seq;
  }

  SessionRow read(long seq) {
    return read(new long[] {seq})[0];
  }

  /** Live rows, in the order of the given numbers. */
  SessionRow[] read(long[] seqs) {
    SessionRow[] rows = new SessionRow[seqs.length];
    long[] missing = new long[seqs.length];
    int count = 0;
    for (int i = 0; i < seqs.length; i++) {
      byte[] content = inMemory(seqs[i]);
      if (content == null) {
        missing[count++] = seqs[i];
      } else {
        rows[i] = SessionRow.read(new ByteReader(content, 0, content.length));
      }
    }
    if (count > 0) {
      readMissing(seqs, rows, Arrays.copyOf(missing, count));
    }
    return rows;
  }

  /**
   * Reads live rows in the order of the given numbers until one is not taken. Those after it are
   * read only as far as they lie beside it, so that memory is used for little more than is taken.
   */
  void read(long[] seqs, Predicate<SessionRow> taken) {
    int from = 0;
    while (from < seqs.length) {
      int to = endOfStep(seqs, from);
      for (SessionRow row : read(Arrays.copyOfRange(seqs, from, to))) {
        if (!taken.test(row)) {
          return;
        }
      }
      from = to;
    }
  }

  private int endOfStep(long[] seqs, int from) {
    int to = from + 1;
    long further = 0;
    while (to < seqs.length && further < STEP) {
      further += bytesFor(seqs[to], seqs[to - 1]);
      to++;
    }
    return to;
  }

  private int bytesFor(long seq, long before) {
    byte[] content = inMemory(seq);
    if (content != null) {
      return content.length;
    }
    try {
      return log.bytesFor(seq, before);
    } catch (IOException e) {
      throw unreadable(e);
    }
  }

  private static StoreFailure unreadable(IOException e) {
    return new StoreFailure("events of sessions cannot be read; check the disk", e);
  }

  private void readMissing(long[] seqs, SessionRow[] rows, long[] missing) {
    Arrays.sort(missing);
    SessionRow[] read = new SessionRow[missing.length];
    try {
      log.read(
          missing,
          (seq, common, content) ->
              read[Arrays.binarySearch(missing, seq)] = SessionRow.read(content));
    } catch (IOException e) {
      throw unreadable(e);
    }
    for (int i = 0; i < seqs.length; i++) {
      if (rows[i] == null) {
        rows[i] = read[Arrays.binarySearch(missing, seqs[i])];
      }
    }
  }

  private byte[] inMemory(long seq) {
    if (!pending.isEmpty() && seq >= firstPending) {
      return pending.get((int) (seq - firstPending));
    }
    int place = place(seq);
    return recentSeqs[place] == seq ? recent[place] : null;
  }

  void commit() {
    for (int i = 0; i < pending.size(); i++) {
      long seq = firstPending + i;
      clear(place(seq));
      recent[place(seq)] = pending.get(i);
      recentSeqs[place(seq)] = seq;
      bytes += pending.get(i).length;
      lowest = Math.max(lowest, seq - PLACES + 1);
      while (bytes > BYTES && lowest < seq) {
        forget(lowest++);
      }
    }
    pending.clear();
  }

  /** Frees the memory of a row that is no longer needed. */
  void forget(long seq) {
    if (recentSeqs[place(seq)] == seq) {
      clear(place(seq));
    }
  }

  private void clear(int place) {
    if (recent[place] != null) {
      bytes -= recent[place].length;
      recent[place] = null;
      recentSeqs[place] = 0;
    }
  }

  void rollback() {
    pending.clear();
  }

  private static int place(long seq) {
    return (int) (seq & (PLACES - 1));
  }
}
