package io.millrace.queuenode.rescue;

import io.millrace.platform.clock.Clock;
import java.time.Duration;
import java.time.Instant;

/**
 * The time of a store whose workers are gone: when told so, what they had leased has run out. The
 * wall clock stays, for ages. One thread at a time.
 */
final class HurriedClock implements Clock {
  private final Clock real;
  private Duration ahead = Duration.ZERO;

  HurriedClock(Clock real) {
    this.real = real;
  }

  /** From now on so much later. */
  void hurry(Duration more) {
    ahead = ahead.plus(more);
  }

  @Override
  public Instant now() {
    return real.now();
  }

  @Override
  public long nanoTime() {
    return real.nanoTime() + ahead.toNanos();
  }
}
