package io.millrace.platform.clock;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicReference;

/**
 * A clock that moves only when it is advanced, for tests and simulations. Thread-safe: a reader
 * sees the wall and monotonic time of the same step.
 */
public final class ManualClock implements Clock {

  private record Reading(Instant wall, long nanos) {}

  private final AtomicReference<Reading> reading;

  /** Starts at the given wall time; the monotonic clock starts at an arbitrary value. */
  public ManualClock(Instant start) {
    // Near the overflow, so that code that compares readings instead of their difference fails its
    // tests.
    reading = new AtomicReference<>(new Reading(start, Long.MAX_VALUE - 1_000_000_000L));
  }

  @Override
  public Instant now() {
    return reading.get().wall();
  }

  @Override
  public long nanoTime() {
    return reading.get().nanos();
  }

  /** Lets both clocks advance by the same, not negative, amount. */
  public void advance(Duration amount) {
    if (amount.isNegative()) {
      throw new IllegalArgumentException("time cannot run backwards: " + amount);
    }
    reading.updateAndGet(
        old -> new Reading(old.wall().plus(amount), old.nanos() + amount.toNanos()));
  }

  /** Steps the wall clock alone, as an administrator or NTP would; may be negative. */
  public void stepWall(Duration step) {
    reading.updateAndGet(old -> new Reading(old.wall().plus(step), old.nanos()));
  }
}
