package io.millrace.simulator.pacing;

import java.util.ArrayDeque;

/** Events in the order of their arrival, counted by step. Used by one thread. */
final class WaitingEvents {
  private final ArrayDeque<long[]> groups = new ArrayDeque<>();
  private long waiting;

  long waiting() {
    return waiting;
  }

  void arrive(long step, int events) {
    if (events > 0) {
      groups.add(new long[] {step, events});
      waiting += events;
    }
  }

  /** Events of a worker that failed; they go first. */
  void comeBack(long step, long events) {
    if (events > 0) {
      groups.addFirst(new long[] {step, events});
      waiting += events;
    }
  }

  /** Takes the oldest ones. */
  long take(long most) {
    long taken = Math.min(most, waiting);
    waiting -= taken;
    long rest = taken;
    while (rest > 0) {
      long[] first = groups.peekFirst();
      long part = Math.min(rest, first[1]);
      first[1] -= part;
      rest -= part;
      if (first[1] == 0) {
        groups.removeFirst();
      }
    }
    return taken;
  }

  /** Steps since the oldest arrived. */
  long oldest(long step) {
    return groups.isEmpty() ? 0 : step - groups.peekFirst()[0];
  }
}
