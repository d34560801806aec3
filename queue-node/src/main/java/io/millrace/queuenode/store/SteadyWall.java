package io.millrace.queuenode.store;

import io.millrace.platform.clock.Clock;

/**
 * The wall clock, held back to what the monotonic clock has counted since the opening: ages that
 * must be right across restarts, and of which a step of the clock must end nothing. Immutable.
 */
final class SteadyWall {
  private static final long NANOS_PER_MILLI = 1_000_000;

  private final Clock clock;
  private final long openedMillis;
  private final long openedNanos;

  SteadyWall(Clock clock) {
    this.clock = clock;
    this.openedMillis = clock.now().toEpochMilli();
    this.openedNanos = clock.nanoTime();
  }

  long millis() {
    long counted = openedMillis + (clock.nanoTime() - openedNanos) / NANOS_PER_MILLI;
    return Math.min(counted, clock.now().toEpochMilli());
  }
}
