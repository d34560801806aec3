package io.millrace.queuenode.segment;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** A bell for each queue. Thread-safe. */
final class Bells {
  private final Map<String, Bell> bells = new ConcurrentHashMap<>();
  private volatile boolean closed;

  /** The bell of a defined queue. */
  Bell of(String queue) {
    Bell bell = bells.computeIfAbsent(queue, name -> new Bell());
    if (closed) {
      bell.close();
    }
    return bell;
  }

  void ring(String queue, int events) {
    Bell bell = bells.get(queue);
    if (bell != null && events > 0) {
      bell.ring(events);
    }
  }

  /** Wakes all who wait for a queue, to look again. */
  void ringAll(String queue) {
    ring(queue, Integer.MAX_VALUE);
  }

  void close() {
    closed = true;
    bells.values().forEach(Bell::close);
  }
}
