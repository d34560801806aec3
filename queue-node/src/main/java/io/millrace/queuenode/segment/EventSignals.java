package io.millrace.queuenode.segment;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

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

  /** Wakes all who wait for a queue, to look again. */
  void ringAll(String queue) {
    ring(queue, Integer.MAX_VALUE);
  }

  void close() {
    closed = true;
    signals.values().forEach(EventSignal::close);
  }
}
