package io.millrace.queuenode.store.mysql;

import io.millrace.platform.clock.Clock;
import io.millrace.queuenode.store.StoreFailure;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a server reports about itself: how it forces commits, and its estimate of the disk space of
 * a schema's stores. The writer's thread measures it periodically; {@link #bytes} is for any
 * thread.
 */
final class ServerDao {
  private static final Logger LOGGER = LoggerFactory.getLogger(ServerDao.class);
  private static final Duration MEASURED_EVERY = Duration.ofSeconds(30);
  private static final String BYTES =
      """
      SELECT COALESCE(SUM(data_length + index_length), 0) FROM information_schema.tables
      WHERE table_schema = DATABASE() AND table_name LIKE 'store%'
      """;
  private static final String FORCED =
      """
      SELECT @@innodb_flush_log_at_trx_commit
      """;
  private static final String PACKET =
      """
      SELECT @@max_allowed_packet
      """;

  private final Clock clock;
  private volatile long bytes;
  private boolean measured;
  private long measuredAt;

  ServerDao(Clock clock) {
    this.clock = clock;
  }

  long bytes() {
    return bytes;
  }

  /** Measures again if the interval has passed; called between transactions. */
  void refresh(SqlSession session) {
    long now = clock.nanoTime();
    if (measured && now - measuredAt < MEASURED_EVERY.toNanos()) {
      return;
    }
    measured = true;
    measuredAt = now;
    try {
      bytes = value(session.reading(), BYTES);
    } catch (StoreFailure e) {
      // The preceding transaction is committed regardless.
      LOGGER.debug("the size of the store could not be measured", e);
    }
    session.rollback();
  }

  /** How the server forces commits to disk; 1 if it forces each one. */
  static long forced(SqlStatements sql) {
    return value(sql, FORCED);
  }

  /** The largest packet that the server accepts, in bytes. */
  static long packet(SqlStatements sql) {
    return value(sql, PACKET);
  }

  private static long value(SqlStatements sql, String query) {
    return sql.query(query, statement -> {}, row -> row.getLong(1)).get(0);
  }
}
