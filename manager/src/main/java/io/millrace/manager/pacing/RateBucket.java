package io.millrace.manager.pacing;

import java.time.Duration;
import java.time.Instant;

/**
 * A token bucket: events that workers of one segment may still be started for under its share of
 * the queue's {@code maxEventsPerSecond}. Pure.
 *
 * @param tokens events; never more than the burst
 * @param filledAt when that was so, by the database's clock
 */
public record RateBucket(double tokens, Instant filledAt) {
  /** Full, as a segment begins. */
  static RateBucket full(double burst, Instant now) {
    return new RateBucket(burst, now);
  }

  /** With what has come since; a clock set back brings nothing and takes nothing. */
  RateBucket filled(double perSecond, double burst, Instant now) {
    double seconds = Math.max(0, Duration.between(filledAt, now).toNanos() / 1e9);
    return new RateBucket(Math.min(burst, tokens + seconds * perSecond), now);
  }

  /** How many of the wanted workers it pays for. */
  int workers(int wanted, int capacity, double waiting) {
    if (events(wanted, capacity, waiting) <= tokens) {
      return wanted;
    }
    return (int) Math.max(0, Math.min(wanted, Math.floor(tokens / capacity)));
  }

  /** What so many workers take: never more than waits, and one each at the least. */
  static double events(int workers, int capacity, double waiting) {
    return Math.min((double) workers * capacity, Math.max(workers, waiting));
  }

  RateBucket without(double events) {
    return new RateBucket(tokens - events, filledAt);
  }
}
