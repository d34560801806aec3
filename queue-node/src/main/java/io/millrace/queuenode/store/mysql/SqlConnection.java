package io.millrace.queuenode.store.mysql;

import io.millrace.platform.clock.Clock;
import io.millrace.platform.database.DatabaseServer;
import io.millrace.queuenode.store.StoreFailure;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A connection to a server that is reopened after it was lost. One thread at a time.
 *
 * <p>A failed statement does not show whether the connection is lost; the {@link #rollback} that
 * must follow does.
 */
final class SqlConnection implements AutoCloseable {
  private static final Logger LOGGER = LoggerFactory.getLogger(SqlConnection.class);

  /** Shorter than the idle time after which the server ends a session. */
  private static final Duration VALIDATE_AFTER = DatabaseServer.SILENCE.dividedBy(2);

  private static final int VALIDATION_SECONDS = 5;
  private static final Duration RECONNECT_DELAY = Duration.ofSeconds(1);

  private final DatabaseServer server;
  private final Clock clock;
  private Connection connection;
  private SqlStatements statements;
  private long usedAt;
  private SQLException unreachable;
  private long unreachableAt;

  SqlConnection(DatabaseServer server, Clock clock) {
    this.server = server;
    this.clock = clock;
  }

  String place() {
    return server.place();
  }

  /**
   * The statements of the current connection or, if there is none, of a new one.
   *
   * @param inTransaction whether a transaction is in progress, which a new connection would
   *     silently lose
   * @throws StoreFailure if the server cannot be reached
   */
  SqlStatements statements(boolean inTransaction) {
    long now = clock.nanoTime();
    if (!inTransaction
        && connection != null
        && now - usedAt > VALIDATE_AFTER.toNanos()
        && !isValid()) {
      drop();
    }
    if (connection == null) {
      connect(now);
    }
    usedAt = now;
    return statements;
  }

  /** Makes the next use try to connect, however recently that failed. */
  void allowReconnect() {
    unreachable = null;
  }

  /** Whether there is a connection that is not known to be lost. */
  boolean isConnected() {
    return connection != null;
  }

  /** Commits; after a failure, which drops the connection, the outcome is unknown. */
  void commit() throws SQLException {
    try {
      connection.commit();
    } catch (SQLException e) {
      drop();
      throw e;
    }
  }

  /** Rolls the transaction back; the server does so for a lost connection. */
  void rollback() {
    if (connection == null) {
      return;
    }
    try {
      connection.rollback();
    } catch (SQLException e) {
      LOGGER.warn("the connection to {} is lost", place(), e);
      drop();
    }
  }

  private boolean isValid() {
    try {
      return connection.isValid(VALIDATION_SECONDS);
    } catch (SQLException e) {
      return false;
    }
  }

  private void connect(long now) {
    if (unreachable != null && now - unreachableAt < RECONNECT_DELAY.toNanos()) {
      throw unreachableFailure(unreachable);
    }
    try {
      connection = server.connect();
      statements = new SqlStatements(connection);
      try (Statement statement = connection.createStatement()) {
        statement.execute("SET SESSION sql_mode = 'STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION'");
      }
      unreachable = null;
    } catch (SQLException e) {
      drop();
      unreachable = e;
      unreachableAt = now;
      throw unreachableFailure(e);
    }
  }

  private StoreFailure unreachableFailure(SQLException cause) {
    return new StoreFailure("the store's server " + place() + " cannot be reached", cause);
  }

  private void drop() {
    Connection lost = connection;
    connection = null;
    statements = null;
    if (lost == null) {
      return;
    }
    try {
      lost.close();
    } catch (SQLException e) {
      LOGGER.debug("a lost connection could not be closed", e);
    }
  }

  /** Closes the connection; the server rolls back what was not committed. */
  @Override
  public void close() {
    drop();
  }
}
