package io.millrace.queuenode.segment;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/** A signal for each queue. Thread-safe. */
final class EventSignals {
  private final Map<String, EventSignal> signals = new ConcurrentHashMap<>();
  private volatile boolean closed;

  /** The signal of a defined queue. */
  EventSignal of(String queue) {
    EventSignal signal = signals.computeIfAbsent(queue, name -> new EventSignal());
    if (closed) {
      signal.close();
    }
    return signal;
  }

  void ring(String queue, int events) {
    EventSignal signal = signals.get(queue);
    if (signal != null && events > 0) {
      signal.ring(events);
    }
  }

  /** Wakes all callers that wait for a queue. */
  void ringAll(String queue) {
    ring(queue, Integer.MAX_VALUE);
  }

  void close() {
    closed = true;
    signals.values().forEach(EventSignal::close);
  }

  /**
   * Wakes those who wait for events of one queue: a ring for n events wakes at most n of them, the
   * longest waiting first. Waiting occupies no thread. Thread-safe.
   */
  static final class EventSignal {
    /** A waiting caller. */
    private static final class WaitingCaller {
      private final CompletableFuture<Boolean> wakeUp = new CompletableFuture<>();
    }

    // Guarded by this.
    private final Set<WaitingCaller> waiting = new LinkedHashSet<>();
    private long rings;
    private boolean closed;

    /** The argument of {@link #await}, read before checking for events. */
    synchronized long rings() {
      return rings;
    }

    /** The number of waiting callers. */
    synchronized int waiting() {
      return waiting.size();
    }

    void ring(int events) {
      List<WaitingCaller> woken = new ArrayList<>();
      synchronized (this) {
        rings += events;
        Iterator<WaitingCaller> longest = waiting.iterator();
        while (woken.size() < events && longest.hasNext()) {
          woken.add(longest.next());
          longest.remove();
        }
      }
      woken.forEach(caller -> caller.wakeUp.complete(true));
    }

    /**
     * Waits for a ring after the one seen. Dependents of the future run on the ringing thread, so
     * they must be short.
     *
     * @return whether to check again; false on timeout or if the node stops
     */
    CompletableFuture<Boolean> await(long seen, Duration atMost) {
      WaitingCaller caller = new WaitingCaller();
      synchronized (this) {
        if (closed || atMost.isNegative() || atMost.isZero()) {
          return CompletableFuture.completedFuture(false);
        }
        if (rings != seen) {
          return CompletableFuture.completedFuture(true);
        }
        waiting.add(caller);
      }
      // Callers whose time is up are removed, so that no ring is wasted on them.
      return caller
          .wakeUp
          .completeOnTimeout(false, atMost.toNanos(), TimeUnit.NANOSECONDS)
          .whenComplete((woken, failure) -> leave(caller));
    }

    private synchronized void leave(WaitingCaller caller) {
      waiting.remove(caller);
    }

    void close() {
      List<WaitingCaller> all;
      synchronized (this) {
        closed = true;
        all = List.copyOf(waiting);
        waiting.clear();
      }
      all.forEach(caller -> caller.wakeUp.complete(false));
    }
  }
}
