package io.millrace.platform.database;

import java.sql.SQLException;
import java.util.Set;

/**
 * What differs between the databases; the rest of the SQL is common to both, because H2 runs in its
 * MySQL mode ({@code INSERT IGNORE}, {@code ON DUPLICATE KEY UPDATE c = VALUES(c)}, {@code LIMIT}).
 *
 * <p>Times are stored as {@code DATETIME(6)} in UTC.
 */
public enum Dialect {
  /** Embedded H2; one process at a time. */
  H2(
      "LOCALTIMESTAMP(6)",
      "DATEADD(MICROSECOND, %s, LOCALTIMESTAMP(6))",
      false,
      "",
      // Deadlock, lock timeout, concurrent update of a row.
      Set.of(40001, 50200, 90131)),

  /** MySQL and MariaDB. */
  MYSQL(
      "UTC_TIMESTAMP(6)",
      "UTC_TIMESTAMP(6) + INTERVAL %s MICROSECOND",
      true,
      "ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin",
      // Deadlock, lock wait timeout, MariaDB's snapshot conflict.
      Set.of(1213, 1205, 1020));

  private final String now;
  private final String nowPlus;
  private final boolean skipLockedByAnyOrder;
  private final String tableOptions;

  @SuppressWarnings("ImmutableEnumChecker") // made by Set.of, which is immutable
  private final Set<Integer> retryable;

  Dialect(
      String now,
      String nowPlus,
      boolean skipLockedByAnyOrder,
      String tableOptions,
      Set<Integer> retryable) {
    this.now = now;
    this.nowPlus = nowPlus;
    this.skipLockedByAnyOrder = skipLockedByAnyOrder;
    this.tableOptions = tableOptions;
    this.retryable = retryable;
  }

  /** The SQL expression for the database's clock at the start of the statement. */
  public String now() {
    return now;
  }

  /**
   * The SQL expression for the database's clock plus a number of microseconds.
   *
   * @param micros a literal or a parameter such as {@code :ttl}; may be negative
   */
  public String nowPlusMicros(String micros) {
    return nowPlus.formatted(micros);
  }

  /**
   * Whether {@code FOR UPDATE SKIP LOCKED} with any {@code ORDER BY … LIMIT} locks only the rows it
   * returns. H2 locks every matching row, except when ordered by the primary key.
   */
  public boolean skipLockedByAnyOrder() {
    return skipLockedByAnyOrder;
  }

  /**
   * The options at the end of a {@code CREATE TABLE}, in migrations the placeholder {@code
   * ${tableOptions}}. They make MySQL compare texts by their bytes, as H2 does.
   */
  public String tableOptions() {
    return tableOptions;
  }

  /** Whether the whole transaction was rolled back for a reason for which it can be repeated. */
  public boolean isRetryable(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof SQLException sql && retryable.contains(sql.getErrorCode())) {
        return true;
      }
    }
    return false;
  }
}
