package io.millrace.tests.drill.ledger;

import java.time.Duration;

/** The longest time between two observations. Thread-safe. */
public final class LongestGap {
  private boolean running;
  private long last;
  private long longest;

  /** Starts a new measurement. */
  public synchronized void begin(long now) {
    running = true;
    last = now;
    longest = 0;
  }

  synchronized void seen(long now) {
    if (running) {
      longest = Math.max(longest, now - last);
      last = Math.max(last, now);
    }
  }

  /** Ends the measurement; returns the longest gap since its start. */
  public synchronized Duration end(long now) {
    seen(now);
    running = false;
    return Duration.ofNanos(longest);
  }
}
