package io.millrace.manager.partition;

import java.time.Duration;
import java.time.Instant;

/**
 * The time from one multiple of an interval to the next, counted from 1970 by the database's clock,
 * so that all members agree on it. Pure.
 *
 * @param begin the multiple
 * @param interval the length
 */
record CycleTime(Instant begin, Duration interval) {

  /** The current one. */
  static CycleTime at(Instant now, Duration interval) {
    Duration since1970 = Duration.between(Instant.EPOCH, now);
    return new CycleTime(
        Instant.EPOCH.plus(interval.multipliedBy(since1970.dividedBy(interval))), interval);
  }

  /** The time left; zero or less after its end. */
  Duration left(Instant now) {
    return Duration.between(now, begin.plus(interval));
  }

  /**
   * Whether the next one may begin. It may also begin when the clock was set back by more than an
   * interval; if by less, this one just takes longer.
   */
  boolean over(Instant now) {
    return left(now).compareTo(Duration.ZERO) <= 0 || now.isBefore(begin.minus(interval));
  }
}
