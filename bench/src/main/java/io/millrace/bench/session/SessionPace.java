package io.millrace.bench.session;

import io.millrace.platform.clock.Clock;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/** Lets several producers together send no more than a rate. Thread-safe. */
final class SessionPace {
  private static final double SECOND = 1e9;

  private final int rate;
  private final Clock clock;
  private final AtomicLong due;

  /**
   * A pace that begins now.
   *
   * @param rate events per second; 0 for no limit
   */
  SessionPace(int rate, Clock clock) {
    this.rate = rate;
    this.clock = clock;
    this.due = new AtomicLong(clock.nanoTime());
  }

  /** Blocks until that many events are due. */
  void await(int events) {
    if (rate == 0) {
      return;
    }
    long own = due.getAndAdd(Math.round(events * SECOND / rate));
    for (long rest = own - clock.nanoTime();
        rest > 0 && !Thread.currentThread().isInterrupted();
        rest = own - clock.nanoTime()) {
      LockSupport.parkNanos(rest);
    }
  }
}
