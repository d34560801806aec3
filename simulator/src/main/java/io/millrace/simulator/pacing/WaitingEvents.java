package io.millrace.simulator.pacing;

import java.util.ArrayDeque;

/** Events in the order of their arrival, counted by step. Used by one thread. */
public final class WaitingEvents {
  private final double stepSeconds;
  private final Waits waits = new Waits();
  private final ArrayDeque<long[]> groups = new ArrayDeque<>();
  private long waiting;

  public WaitingEvents(double stepSeconds) {
    this.stepSeconds = stepSeconds;
  }

  /** Waiting times of leased events, until the end of the step. */
  public Waits waits() {
    return waits;
  }

  public long waiting() {
    return waiting;
  }

  public void arrive(long step, int events) {
    if (events > 0) {
      groups.add(new long[] {step, events});
      waiting += events;
    }
  }

  /** Events of a worker that failed; they go first. */
  public void comeBack(long step, long events) {
    if (events > 0) {
      groups.addFirst(new long[] {step, events});
      waiting += events;
    }
  }

  /** Moves the oldest events of another here; they keep their arrival times. */
  public void takeOver(WaitingEvents from, long max) {
    ArrayDeque<long[]> coming = new ArrayDeque<>();
    long rest = Math.min(max, from.waiting);
    from.waiting -= rest;
    waiting += rest;
    while (rest > 0) {
      long[] first = from.groups.peekFirst();
      long part = Math.min(rest, first[1]);
      coming.add(new long[] {first[0], part});
      first[1] -= part;
      rest -= part;
      if (first[1] == 0) {
        from.groups.removeFirst();
      }
    }
    merge(coming);
  }

  private void merge(ArrayDeque<long[]> coming) {
    boolean younger =
        groups.isEmpty() || coming.isEmpty() || groups.peekLast()[0] <= coming.peekFirst()[0];
    if (younger) {
      groups.addAll(coming);
      return;
    }
    ArrayDeque<long[]> own = new ArrayDeque<>(groups);
    groups.clear();
    while (!own.isEmpty() || !coming.isEmpty()) {
      boolean ownFirst =
          coming.isEmpty() || (!own.isEmpty() && own.peekFirst()[0] <= coming.peekFirst()[0]);
      groups.add(ownFirst ? own.removeFirst() : coming.removeFirst());
    }
  }

  /** Leases the oldest events. */
  public long take(long step, long max) {
    long taken = Math.min(max, waiting);
    waiting -= taken;
    long rest = taken;
    while (rest > 0) {
      long[] first = groups.peekFirst();
      long part = Math.min(rest, first[1]);
      first[1] -= part;
      waits.add((step - first[0]) * stepSeconds, part);
      rest -= part;
      if (first[1] == 0) {
        groups.removeFirst();
      }
    }
    return taken;
  }

  /** Steps since the oldest arrived. */
  public long oldest(long step) {
    return groups.isEmpty() ? 0 : step - groups.peekFirst()[0];
  }
}
