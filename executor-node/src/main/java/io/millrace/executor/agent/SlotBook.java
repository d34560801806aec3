package io.millrace.executor.agent;

import io.millrace.api.job.AttemptId;
import java.util.HashMap;
import java.util.Map;

/** Books slots for attempts and never more than there are. Thread-safe, never blocks for long. */
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

  /** How many slots there are. */
  public int capacity() {
    return capacity;
  }

  /** Whether the slots are the attempt's now; true as well when it had slots already. */
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
   * Books slots for an attempt that runs already, from before a restart; these alone may exceed the
   * capacity, if it was lowered meanwhile, and then nothing is booked until enough have ended.
   */
  public synchronized void restore(AttemptId attempt, int slots) {
    if (!booked.containsKey(attempt)) {
      add(attempt, slots);
    }
  }

  /** Gives an attempt's slots back; does nothing for one that has none. */
  public synchronized void free(AttemptId attempt) {
    Integer slots = booked.remove(attempt);
    if (slots != null) {
      used -= slots;
    }
  }

  /** How many slots are taken. */
  public synchronized int used() {
    return used;
  }

  private void add(AttemptId attempt, int slots) {
    booked.put(attempt, slots);
    used += slots;
  }
}
