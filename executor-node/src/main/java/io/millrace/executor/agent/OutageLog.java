package io.millrace.executor.agent;

import org.slf4j.Logger;

/** Logs the begin and the end of a failing streak, and nothing between. Used by one thread. */
final class OutageLog {
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
      logger.warn("{} fails and is tried again: {}", subject, failure.getMessage());
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
