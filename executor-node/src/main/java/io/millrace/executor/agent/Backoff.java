package io.millrace.executor.agent;

import java.time.Duration;

/** Pauses that double up to a longest one. Used by one thread. */
final class Backoff {
  private final Duration first;
  private final Duration longest;
  private Duration next;

  Backoff(Duration first, Duration longest) {
    this.first = first;
    this.longest = longest;
    this.next = first;
  }

  /** The pause after one more failure. */
  Duration next() {
    Duration pause = next;
    Duration doubled = pause.multipliedBy(2);
    next = doubled.compareTo(longest) < 0 ? doubled : longest;
    return pause;
  }

  /** Begins anew after a success. */
  void reset() {
    next = first;
  }
}
