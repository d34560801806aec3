package io.millrace.queuenode.session.store;

import io.millrace.queuenode.store.UndoList;
import java.util.Arrays;

/**
 * Where the kept events of a session are in the log, and hashes of the ids of these and of some
 * before them: twelve bytes for each. A class of its own rather than a field of the session only
 * for its rules; there are a million of them. One thread; changes can be undone.
 */
abstract class KeptEvents {
  /**
   * Ids of so many events that are no longer kept are remembered: of as many as a load balancer
   * sends in a request, which it repeats if it gets no answer.
   */
  static final int EARLIER = 1_000;

  private static final int[] NO_OFFSETS = {};
  private static final long[] NONE = {};

  private long base;
  // Differences from the base; null once they are too large.
  private int[] offsets = NO_OFFSETS;
  private long[] seqs;
  // Of earlier events, then of the kept ones.
  private long[] hashes = NONE;
  private int earlier;
  private int kept;

  /** How many events are kept. */
  int kept() {
    return kept;
  }

  /** The sequence number of a kept event. */
  long seq(int index) {
    return seqs == null ? base + offsets[index] : seqs[index];
  }

  /** The sequence numbers of kept events, ascending. */
  long[] seqs(int from, int to) {
    long[] all = new long[to - from];
    for (int i = from; i < to; i++) {
      all[i - from] = seq(i);
    }
    return all;
  }

  /** The hash of a kept event's id. */
  long hash(int index) {
    return hashes[earlier + index];
  }

  /** Whether an event with this hash of its id is kept, or was not long ago. */
  boolean knows(long hash) {
    for (int i = earlier + kept - 1; i >= 0; i--) {
      if (hashes[i] == hash) {
        return true;
      }
    }
    return false;
  }

  /** The hashes of the last ids, at most so many, the earliest first. */
  long[] lastHashes(int most) {
    int all = earlier + kept;
    return Arrays.copyOfRange(hashes, Math.max(0, all - most), all);
  }

  /** Hashes of ids of events that are no longer kept. */
  long[] earlierHashes() {
    return Arrays.copyOf(hashes, earlier);
  }

  /** Notes ids of events that are not kept, of a session without events. */
  void setEarlier(long[] ids) {
    hashes = ids;
    earlier = ids.length;
  }

  /** Notes ids of events before its own that are not kept. */
  void addEarlier(long[] ids, UndoList undo) {
    long[] beforeHashes = hashes;
    int beforeEarlier = earlier;
    hashes = with(hashes, 0, ids);
    earlier += ids.length;
    undo.add(
        () -> {
          hashes = beforeHashes;
          earlier = beforeEarlier;
        });
  }

  void append(long seq, long hash, UndoList undo) {
    if (kept == 0) {
      long before = base;
      long[] beforeSeqs = seqs;
      base = seq;
      seqs = null;
      undo.add(
          () -> {
            base = before;
            seqs = beforeSeqs;
          });
    }
    if (seqs == null && seq - base > Integer.MAX_VALUE) {
      seqs = seqs(0, kept);
    }
    int grown = kept + Math.max(4, kept / 4);
    if (seqs != null) {
      seqs = kept < seqs.length ? seqs : Arrays.copyOf(seqs, grown);
      seqs[kept] = seq;
    } else {
      offsets = kept < offsets.length ? offsets : Arrays.copyOf(offsets, grown);
      offsets[kept] = (int) (seq - base);
    }
    if (earlier + kept == hashes.length) {
      hashes = Arrays.copyOf(hashes, earlier + grown);
    }
    hashes[earlier + kept] = hash;
    kept++;
    undo.add(() -> kept--);
  }

  /** Adds events before those from a place on. */
  void insertAt(int index, long[] moreSeqs, long[] moreHashes, UndoList undo) {
    int[] beforeOffsets = offsets;
    long[] beforeSeqs = seqs;
    long[] beforeHashes = hashes;
    int beforeKept = kept;
    hashes = with(Arrays.copyOf(hashes, earlier + kept), earlier + index, moreHashes);
    seqs = with(seqs(0, kept), index, moreSeqs);
    offsets = NO_OFFSETS;
    kept += moreSeqs.length;
    undo.add(
        () -> {
          offsets = beforeOffsets;
          seqs = beforeSeqs;
          hashes = beforeHashes;
          kept = beforeKept;
        });
  }

  private static long[] with(long[] all, int at, long[] more) {
    long[] changed = Arrays.copyOf(all, all.length + more.length);
    System.arraycopy(all, at, changed, at + more.length, all.length - at);
    System.arraycopy(more, 0, changed, at, more.length);
    return changed;
  }

  /** Keeps the first events no longer, but some of their ids. */
  void drop(int count, UndoList undo) {
    int[] beforeOffsets = offsets;
    long[] beforeSeqs = seqs;
    long[] beforeHashes = hashes;
    int beforeEarlier = earlier;
    int beforeKept = kept;
    int gone = earlier + count;
    earlier = Math.min(EARLIER, gone);
    hashes = Arrays.copyOfRange(hashes, gone - earlier, beforeEarlier + kept);
    if (seqs == null) {
      offsets = Arrays.copyOfRange(offsets, count, kept);
    } else {
      seqs = Arrays.copyOfRange(seqs, count, kept);
    }
    kept -= count;
    undo.add(
        () -> {
          offsets = beforeOffsets;
          seqs = beforeSeqs;
          hashes = beforeHashes;
          earlier = beforeEarlier;
          kept = beforeKept;
        });
  }

  /** Keeps some events no longer, as if they had never been accepted. */
  void removeAll(boolean[] gone, UndoList undo) {
    long[] keptSeqs = seqs(0, kept);
    long[] keptHashes = Arrays.copyOfRange(hashes, earlier, earlier + kept);
    long[] earlierHashes = earlierHashes();
    drop(kept, undo);
    replaceEarlier(earlierHashes, undo);
    for (int i = 0; i < gone.length; i++) {
      if (!gone[i]) {
        append(keptSeqs[i], keptHashes[i], undo);
      }
    }
  }

  /** Forgets ids of events that are not kept, of a session that keeps these events only. */
  void forgetEarlier(UndoList undo) {
    long[] keptHashes = Arrays.copyOfRange(hashes, earlier, earlier + kept);
    replaceEarlier(NONE, undo);
    hashes = keptHashes;
  }

  // Leaves no hashes of kept events.
  private void replaceEarlier(long[] ids, UndoList undo) {
    long[] beforeHashes = hashes;
    int beforeEarlier = earlier;
    hashes = ids;
    earlier = ids.length;
    undo.add(
        () -> {
          hashes = beforeHashes;
          earlier = beforeEarlier;
        });
  }

  /** Releases memory reserved for further events. */
  void trim() {
    hashes = Arrays.copyOf(hashes, earlier + kept);
    if (seqs == null) {
      offsets = Arrays.copyOf(offsets, kept);
    }
  }
}
