package io.millrace.queuenode.store;

import io.millrace.platform.clock.Clock;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the stores of a schema take on the server's disk, as the server estimates it. Measured by
 * the writer's thread now and then; {@link #bytes} is for any thread.
 */
final class SqlSize {
  private static final Logger LOGGER = LoggerFactory.getLogger(SqlSize.class);
  private static final Duration MEASURED_EVERY = Duration.ofSeconds(30);
  private static final String BYTES =
      "SELECT COALESCE(SUM(data_length + index_length), 0) FROM information_schema.tables"
          + " WHERE table_schema = DATABASE() AND table_name LIKE 'store%'";

  private final Clock clock;
  private volatile long bytes;
  private boolean measured;
  private long measuredAt;

  SqlSize(Clock clock) {
    this.clock = clock;
  }

  long bytes() {
    return bytes;
  }

  /** Measures if the last time is long ago; between transactions. */
  void refresh(SqlSession session) {
    long now = clock.nanoTime();
    if (measured && now - measuredAt < MEASURED_EVERY.toNanos()) {
      return;
    }
    measured = true;
    measuredAt = now;
    try {
      bytes = session.reading().query(BYTES, statement -> {}, row -> row.getLong(1)).get(0);
    } catch (StoreFailure e) {
      // The transaction before it is done all the same.
      LOGGER.debug("the size of the store is not known", e);
    }
    session.rollback();
  }
}
