package io.millrace.manager.partition;

import java.time.Duration;
import java.time.Instant;

/**
 * The part of time from one multiple of an interval to the next, counted from 1970 by the
 * database's clock, so that all members mean the same one. Pure.
 *
 * @param begin the multiple
 * @param interval the length
 */
record CycleTime(Instant begin, Duration interval) {

  /** The one that lasts now. */
  static CycleTime at(Instant now, Duration interval) {
    Duration since1970 = Duration.between(Instant.EPOCH, now);
    return new CycleTime(
        Instant.EPOCH.plus(interval.multipliedBy(since1970.dividedBy(interval))), interval);
  }

  /** How long it lasts yet; zero or less when it is over. */
  Duration left(Instant now) {
    return Duration.between(now, begin.plus(interval));
  }

  /**
   * Whether the next one may begin. So it may, too, when the clock was set back by more than an
   * interval; by less, and this one just lasts longer.
   */
  boolean over(Instant now) {
    return left(now).compareTo(Duration.ZERO) <= 0 || now.isBefore(begin.minus(interval));
  }
}
