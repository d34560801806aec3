package io.millrace.executor.agent;

import io.millrace.api.job.AttemptId;
import java.util.HashMap;
import java.util.Map;

/** Books slots for attempts, never more than there are. Thread-safe, never blocks for long. */
public final class SlotBook {
  private final int capacity;
  // Guarded by this.
  private final Map<AttemptId, Integer> booked = new HashMap<>();
  private int used;

  public SlotBook(int capacity) {
    if (capacity < 1) {
      throw new IllegalArgumentException("a node has at least 1 slot, not " + capacity);
    }
    this.capacity = capacity;
  }

  /** The number of slots. */
  public int capacity() {
    return capacity;
  }

  /** Books slots; true if the attempt has them now, or had them already. */
  public synchronized boolean book(AttemptId attempt, int slots) {
    if (booked.containsKey(attempt)) {
      return true;
    }
    if (slots > capacity - used) {
      return false;
    }
    add(attempt, slots);
    return true;
  }

  /**
   * Books slots for an attempt that was running before a restart; only these may exceed a capacity
   * that was lowered; then nothing is booked until enough attempts have ended.
   */
  public synchronized void restore(AttemptId attempt, int slots) {
    if (!booked.containsKey(attempt)) {
      add(attempt, slots);
    }
  }

  /** Frees an attempt's slots; does nothing if it has none. */
  public synchronized void free(AttemptId attempt) {
    Integer slots = booked.remove(attempt);
    if (slots != null) {
      used -= slots;
    }
  }

  /** The number of booked slots. */
  public synchronized int used() {
    return used;
  }

  private void add(AttemptId attempt, int slots) {
    booked.put(attempt, slots);
    used += slots;
  }
}
