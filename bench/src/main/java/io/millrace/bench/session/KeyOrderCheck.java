package io.millrace.bench.session;

import io.millrace.api.session.SessionNumber;
import io.millrace.bench.session.SessionCalls.DeliveredEvent;
import io.millrace.bench.session.SessionCalls.DeliveredSession;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/**
 * Checks that the events of each key come in the producer's order and without a gap, to one worker
 * at a time, and none after the session's end (M-10, M-11). Thread-safe.
 */
final class KeyOrderCheck {
  private static final int MAX_EXAMPLES = 10;

  private final SessionSource source;
  private final Map<String, KeyHistory> keys = new ConcurrentHashMap<>();
  private final LongAdder delivered = new LongAdder();
  private final LongAdder repeated = new LongAdder();
  private final LongAdder handovers = new LongAdder();
  private final AtomicLong violations = new AtomicLong();
  private final AtomicLong completed = new AtomicLong();
  private final ConcurrentLinkedQueue<String> examples = new ConcurrentLinkedQueue<>();

  KeyOrderCheck(SessionSource source) {
    this.source = source;
  }

  /**
   * Notes what a worker received.
   *
   * @return how many of the events were delivered for the first time
   */
  int deliver(UUID worker, DeliveredSession session) {
    KeyHistory history = keys.computeIfAbsent(session.key(), key -> new KeyHistory());
    synchronized (history) {
      return deliver(history, worker, session);
    }
  }

  private int deliver(KeyHistory history, UUID worker, DeliveredSession session) {
    if (history.completed) {
      violation(session, "was delivered after its completion was confirmed");
    }
    assigned(history, worker, session);
    int first = 0;
    for (DeliveredEvent event : session.events()) {
      if (event.n() <= history.last) {
        repeated.increment();
      } else if (event.n() != history.last + 1) {
        violation(session, "continued with event %d after %d".formatted(event.n(), history.last));
      }
      long place = source.place(session.key(), event);
      if (place != event.n()) {
        violation(
            session,
            "has the producer's event %d (%s) at place %d".formatted(place, event.id(), event.n()));
      }
      history.last = Math.max(history.last, event.n());
      if (event.n() > history.furthest) {
        history.furthest = event.n();
        first++;
      }
    }
    delivered.add(first);
    return first;
  }

  private void assigned(KeyHistory history, UUID worker, DeliveredSession session) {
    int newer = history.number == null ? 1 : session.number().compareTo(history.number);
    if (newer < 0) {
      violation(session, "came under a number before " + history.number);
    } else if (newer == 0 && !worker.equals(history.worker)) {
      violation(session, "was with worker %s under the same number".formatted(history.worker));
    } else if (newer > 0) {
      if (history.number != null) {
        handovers.increment();
      }
      if (session.from() != 1) {
        violation(session, "began at event %d without a snapshot".formatted(session.from()));
      }
      history.number = session.number();
      history.worker = worker;
      history.last = session.from() - 1;
    }
  }

  private void violation(DeliveredSession session, String what) {
    violations.incrementAndGet();
    if (examples.size() < MAX_EXAMPLES) {
      examples.add("session %s, number %s: %s".formatted(session.key(), session.number(), what));
    }
  }

  /** Notes that the completion of a session was confirmed. */
  void completed(String key) {
    KeyHistory history = keys.computeIfAbsent(key, unknown -> new KeyHistory());
    synchronized (history) {
      if (!history.completed) {
        history.completed = true;
        completed.incrementAndGet();
      }
    }
  }

  /** Whether the completion of a session was confirmed. */
  boolean isCompleted(String key) {
    KeyHistory history = keys.get(key);
    if (history == null) {
      return false;
    }
    synchronized (history) {
      return history.completed;
    }
  }

  /** The last event of a session under its present number; 0 for none. */
  long last(String key) {
    KeyHistory history = keys.get(key);
    if (history == null) {
      return 0;
    }
    synchronized (history) {
      return history.last;
    }
  }

  /** Distinct events delivered. */
  long delivered() {
    return delivered.sum();
  }

  /** Deliveries of events that their worker had before, under the same number. */
  long repeated() {
    return repeated.sum();
  }

  /** Assignments of sessions after the first one. */
  long handovers() {
    return handovers.sum();
  }

  /** Sessions whose completion was confirmed. */
  long completed() {
    return completed.get();
  }

  long violations() {
    return violations.get();
  }

  /** Some violations, in words. */
  List<String> examples() {
    return List.copyOf(examples);
  }

  /** What has been delivered of a key; guarded by itself. */
  private static final class KeyHistory {
    private SessionNumber number;
    private UUID worker;
    private long last;
    private long furthest;
    private boolean completed;
  }
}
