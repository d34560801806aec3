package io.millrace.queuenode.session.store;

import io.millrace.queuenode.store.UndoList;
import java.util.Arrays;

/**
 * Rows of remembered keys by the hash of the key: two numbers for each. Several rows may have one
 * hash. One thread; changes can be undone.
 */
final class RowTable {
  private final UndoList undo;
  // Pairs of hash and sequence number; the number of a free place is 0.
  private long[] places = new long[0];
  private int size;

  RowTable(UndoList undo) {
    this.undo = undo;
  }

  /** Receives one entry. */
  @FunctionalInterface
  interface RowVisitor {
    void row(long hash, long seq);
  }

  int size() {
    return size;
  }

  void add(long hash, long seq) {
    insert(hash, seq);
    undo.add(() -> delete(hash, seq));
  }

  /** Removes an entry; false if there is none. */
  boolean remove(long hash, long seq) {
    boolean removed = delete(hash, seq);
    if (removed) {
      undo.add(() -> insert(hash, seq));
    }
    return removed;
  }

  /** The rows with a hash; usually none or one. */
  long[] rows(long hash) {
    int found = 0;
    long[] rows = new long[1];
    if (size > 0) {
      for (int at = home(hash); places[at + 1] != 0; at = next(at)) {
        if (places[at] == hash) {
          rows = found == rows.length ? Arrays.copyOf(rows, 2 * found) : rows;
          rows[found++] = places[at + 1];
        }
      }
    }
    return Arrays.copyOf(rows, found);
  }

  /**
   * The hash under which a row is found: that of its key, unless the key was not read as it was
   * written.
   */
  long hash(long seq, String key) {
    long hash = IdHash.of(key);
    for (long row : rows(hash)) {
      if (row == seq) {
        return hash;
      }
    }
    for (int at = 0; at < places.length; at += 2) {
      if (places[at + 1] == seq) {
        return places[at];
      }
    }
    return hash;
  }

  /** All rows, ascending. */
  long[] rows() {
    long[] rows = new long[size];
    int next = 0;
    for (int at = 0; at < places.length; at += 2) {
      if (places[at + 1] != 0) {
        rows[next++] = places[at + 1];
      }
    }
    Arrays.sort(rows);
    return rows;
  }

  void forEach(RowVisitor visitor) {
    for (int at = 0; at < places.length; at += 2) {
      if (places[at + 1] != 0) {
        visitor.row(places[at], places[at + 1]);
      }
    }
  }

  private void insert(long hash, long seq) {
    if (size * 8 >= places.length * 3) {
      long[] before = places;
      places = new long[Math.max(8, before.length * 2)];
      for (int at = 0; at < before.length; at += 2) {
        if (before[at + 1] != 0) {
          set(before[at], before[at + 1]);
        }
      }
    }
    set(hash, seq);
    size++;
  }

  private void set(long hash, long seq) {
    int at = home(hash);
    while (places[at + 1] != 0) {
      at = next(at);
    }
    places[at] = hash;
    places[at + 1] = seq;
  }

  private boolean delete(long hash, long seq) {
    if (size == 0) {
      return false;
    }
    int hole = home(hash);
    while (places[hole + 1] != 0 && (places[hole] != hash || places[hole + 1] != seq)) {
      hole = next(hole);
    }
    if (places[hole + 1] == 0) {
      return false;
    }
    places[hole + 1] = 0;
    size--;
    int mask = places.length - 1;
    for (int at = next(hole); places[at + 1] != 0; at = next(at)) {
      int home = home(places[at]);
      if (((at - home) & mask) >= ((at - hole) & mask)) {
        places[hole] = places[at];
        places[hole + 1] = places[at + 1];
        places[at + 1] = 0;
        hole = at;
      }
    }
    return true;
  }

  private int next(int at) {
    return (at + 2) & (places.length - 1);
  }

  private int home(long hash) {
    // The hash itself is known to who chooses keys.
    return KeyHash.of(hash) << 1 & (places.length - 1);
  }
}
