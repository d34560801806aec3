package io.millrace.platform.http;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.platform.clock.Clock;
import io.millrace.platform.identity.BoundedCache;
import java.time.Duration;

/**
 * Counts wrong tokens, codes and passwords by client address, so that none can be guessed quickly.
 * Addresses are counted in bounded memory. Thread-safe; never blocks.
 */
final class FailedLogins {
  private static final Duration WINDOW = Duration.ofMinutes(1);

  private static final int MAX_ADDRESSES = 10_000;

  private final int max;
  private final Clock clock;
  private final BoundedCache<String, FailureCount> failures = new BoundedCache<>(MAX_ADDRESSES);

  private record FailureCount(long since, int count) {}

  /**
   * Nobody has failed.
   *
   * @param max how many failures of an address are answered in a minute
   */
  FailedLogins(int max, Clock clock) {
    this.max = max;
    this.clock = clock;
  }

  /**
   * Counts a failure.
   *
   * @throws MillraceException RATE_LIMITED if the address has failed too often
   */
  void count(String address) {
    if (!allowsAnother(address)) {
      throw new MillraceException(
          ErrorCode.RATE_LIMITED,
          "more than %d wrong tokens from %s within a minute; try again later"
              .formatted(max, address));
    }
  }

  private synchronized boolean allowsAnother(String address) {
    long now = clock.nanoTime();
    FailureCount current =
        failures
            .get(address)
            .filter(one -> now - one.since() < WINDOW.toNanos())
            .orElse(new FailureCount(now, 0));
    FailureCount next = new FailureCount(current.since(), current.count() + 1);
    failures.put(address, next);
    return next.count() <= max;
  }
}
