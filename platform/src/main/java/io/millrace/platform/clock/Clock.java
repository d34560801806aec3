package io.millrace.platform.clock;

import java.time.Instant;

/**
 * Reads the time of this host. Implementations are thread-safe and never block.
 *
 * <p>Leases and delays are measured with {@link #nanoTime()}, because the wall clock may step;
 * whatever several hosts must agree on is timed by the database's clock instead.
 */
public interface Clock {

  /** The wall clock in UTC in whole microseconds, which every supported database can store. */
  Instant now();

  /** Nanoseconds of the monotonic clock; only differences within one process are meaningful. */
  long nanoTime();
}
