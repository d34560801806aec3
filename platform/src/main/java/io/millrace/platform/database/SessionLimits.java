package io.millrace.platform.database;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;

/**
 * The limits that a MySQL or MariaDB server puts on its sessions, so that a client that is frozen,
 * or was cut off without a reset, does not keep its locks: the server ends the session and rolls
 * back its transaction.
 *
 * <p>MariaDB limits the time between two statements of a transaction ({@code
 * idle_transaction_timeout}). MySQL has only {@code wait_timeout}, between any two statements, so
 * it is lowered during a transaction, and idle connections of a pool are not affected. Both count
 * the time in which the server waits for the client's next statement; a client that is sending one,
 * or reading an answer, is limited by {@code net_read_timeout} and {@code net_write_timeout}.
 * Immutable.
 */
final class SessionLimits {
  /**
   * How long a transaction may be idle. Longer than the pauses of a busy process, shorter than the
   * lease of an execution node (6 s) and the lock timeout (10 s).
   */
  static final Duration IDLE_TRANSACTION = Duration.ofSeconds(5);

  private static final Duration HALF_SENT = Duration.ofSeconds(10);

  private final boolean perTransaction;

  private SessionLimits(boolean perTransaction) {
    this.perTransaction = perTransaction;
  }

  /** An embedded database, whose transactions end with the process. */
  static SessionLimits none() {
    return new SessionLimits(false);
  }

  /** The limits of the server of this connection, which was set up by {@link #setup}. */
  static SessionLimits of(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet limit =
            statement.executeQuery("show session variables like 'idle_transaction_timeout'")) {
      return new SessionLimits(!limit.next());
    }
  }

  /**
   * SQL that every new session runs. MariaDB executes the comment, MySQL does not.
   *
   * @param lockTimeout how long a statement waits for a row lock
   */
  static String setup(Duration lockTimeout) {
    long idle = IDLE_TRANSACTION.toSeconds();
    return "SET SESSION innodb_lock_wait_timeout = %d, net_read_timeout = %d, net_write_timeout = %d"
            .formatted(lockTimeout.toSeconds(), HALF_SENT.toSeconds(), HALF_SENT.toSeconds())
        + " /*M!100600 , idle_transaction_timeout = %d, idle_write_transaction_timeout = %d"
            .formatted(idle, idle)
        + ", idle_readonly_transaction_timeout = %d */".formatted(idle);
  }

  /** SQL that a session runs before a transaction if the server has no such limit. */
  static String lower(Duration idle) {
    return "SET SESSION wait_timeout = " + idle.toSeconds();
  }

  /**
   * SQL for a session that copies tables and may be silent for longer than others while it writes
   * what it has read. Its transaction holds no locks.
   */
  static String patient(int seconds) {
    return "SET SESSION net_read_timeout = %d, net_write_timeout = %d, wait_timeout = %d"
            .formatted(seconds, seconds, 10 * seconds)
        + " /*M!100600 , idle_transaction_timeout = %d, idle_write_transaction_timeout = %d"
            .formatted(seconds, seconds)
        + ", idle_readonly_transaction_timeout = %d */".formatted(seconds);
  }

  /** SQL that restores the server's default limit after a transaction. */
  static String restore() {
    return "SET SESSION wait_timeout = DEFAULT";
  }

  /** Whether {@link #lower} and {@link #restore} are needed around each transaction. */
  boolean perTransaction() {
    return perTransaction;
  }
}
