package io.millrace.platform.database;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;

/**
 * The limits that a MySQL or MariaDB server puts on its sessions, so that a client that froze, or
 * that was cut off without a reset, does not keep its locks: the server ends the session and rolls
 * its transaction back.
 *
 * <p>MariaDB limits the time between two statements of a transaction ({@code
 * idle_transaction_timeout}). MySQL has only {@code wait_timeout}, which counts between any two
 * statements, so there it is lowered for as long as a transaction lasts, and an idle connection of
 * a pool is not touched. Both count the time in which the server waits for the client's next
 * statement; a client that stands in the middle of sending one, or of reading an answer, is limited
 * by {@code net_read_timeout} and {@code net_write_timeout}. Immutable.
 */
final class SessionLimits {
  /**
   * How long a transaction may stand between two statements. Longer than a busy process pauses,
   * shorter than the lease of an execution node (6 s) and than a lock is waited for (10 s).
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

  /** What the server needs that this connection, set up by {@link #setup}, leads to. */
  static SessionLimits of(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet limit =
            statement.executeQuery("show session variables like 'idle_transaction_timeout'")) {
      return new SessionLimits(!limit.next());
    }
  }

  /**
   * SQL that every new session runs. MariaDB carries out the comment, MySQL does not.
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

  /** SQL that a session of a server without such a limit runs before a transaction. */
  static String lower(Duration idle) {
    return "SET SESSION wait_timeout = " + idle.toSeconds();
  }

  /** SQL that puts the server's usual limit back after a transaction. */
  static String restore() {
    return "SET SESSION wait_timeout = DEFAULT";
  }

  /** Whether {@link #lower} and {@link #restore} are needed around each transaction. */
  boolean perTransaction() {
    return perTransaction;
  }
}
