package io.millrace.cli.server;

import java.util.List;

/**
 * One queue's day.
 *
 * @param name the queue
 * @param symbol what its events are about
 * @param counts events of each slot
 */
record DemoQueue(String name, String symbol, List<Integer> counts) {
  DemoQueue {
    counts = List.copyOf(counts);
  }

  long events() {
    return counts.stream().mapToLong(Integer::intValue).sum();
  }

  /** The id of an event; numbers start at 1. */
  String id(long number) {
    return String.format(java.util.Locale.ROOT, "%s-%06d", name, number);
  }
}
