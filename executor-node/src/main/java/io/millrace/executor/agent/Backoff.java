package io.millrace.executor.agent;

import java.time.Duration;
import org.slf4j.Logger;

/** Pauses that double up to a longest one. Used by one thread. */
final class Backoff {
  private final Duration first;
  private final Duration longest;
  private Duration next;

  Backoff(Duration first, Duration longest) {
    this.first = first;
    this.longest = longest;
    this.next = first;
  }

  /** The pause after one more failure. */
  Duration next() {
    Duration pause = next;
    Duration doubled = pause.multipliedBy(2);
    next = doubled.compareTo(longest) < 0 ? doubled : longest;
    return pause;
  }

  /** Resets the pause after a success. */
  void reset() {
    next = first;
  }

  /**
   * Logs the first of consecutive failures and the recovery, and nothing in between. Used by one
   * thread.
   */
  static final class OutageLog {
    private final Logger logger;
    private final String subject;
    private long failures;

    OutageLog(Logger logger, String subject) {
      this.logger = logger;
      this.subject = subject;
    }

    void failed(Exception failure) {
      failures++;
      if (failures == 1) {
        logger.warn("{} failed and is retried: {}", subject, failure.getMessage());
      }
      logger.debug("{} failed", subject, failure);
    }

    void succeeded() {
      if (failures > 0) {
        logger.info("{} succeeds again after {} failures", subject, failures);
        failures = 0;
      }
    }
  }
}
