package io.millrace.platform.http;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.platform.clock.Clock;
import io.millrace.platform.identity.BoundedCache;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts wrong tokens and codes by client address, so that none can be guessed quickly, and logs a
 * warning for each address that has many. Addresses are counted in bounded memory. Thread-safe;
 * never blocks.
 */
final class FailedLogins {
  private static final Logger LOGGER = LoggerFactory.getLogger(FailedLogins.class);
  private static final Duration WINDOW = Duration.ofMinutes(1);

  private static final int MAX_ADDRESSES = 10_000;

  /** Warnings within a minute; so that a flood from many addresses does not fill the log. */
  static final int MAX_WARNINGS = 20;

  // A person who mistypes, or a server that was restarted, is no news.
  private static final int WARNED_SHARE = 10;

  private final int max;
  private final Clock clock;
  private final BoundedCache<String, FailureCount> failures = new BoundedCache<>(MAX_ADDRESSES);

  // Guarded by this.
  private FailureCount warnings;

  private record FailureCount(long since, int count) {
    boolean isRecent(long now) {
      return now - since < WINDOW.toNanos();
    }

    FailureCount more() {
      return new FailureCount(since, count + 1);
    }
  }

  /**
   * Nobody has failed.
   *
   * @param max how many failures of an address are answered in a minute
   */
  FailedLogins(int max, Clock clock) {
    this.max = max;
    this.clock = clock;
    this.warnings = new FailureCount(clock.nanoTime(), 0);
  }

  /**
   * Counts a failure.
   *
   * @throws MillraceException RATE_LIMITED if the address has failed too often
   */
  void count(String address) {
    if (note(address) > max) {
      throw new MillraceException(
          ErrorCode.RATE_LIMITED,
          "more than %d wrong tokens from %s within a minute; try again later"
              .formatted(max, address));
    }
  }

  /** Counts a failure without a limit; returns how often the address has failed. */
  synchronized int note(String address) {
    long now = clock.nanoTime();
    FailureCount next =
        failures
            .get(address)
            .filter(one -> one.isRecent(now))
            .orElse(new FailureCount(now, 0))
            .more();
    failures.put(address, next);
    if (next.count() == Math.max(1, max / WARNED_SHARE)) {
      warn(address, next.count(), now);
    }
    return next.count();
  }

  private void warn(String address, int count, long now) {
    warnings = (warnings.isRecent(now) ? warnings : new FailureCount(now, 0)).more();
    if (warnings.count() <= MAX_WARNINGS) {
      LOGGER.warn(
          "{} wrong tokens from {} within a minute; beyond {} they are refused with RATE_LIMITED",
          count,
          address,
          max);
    }
  }
}
