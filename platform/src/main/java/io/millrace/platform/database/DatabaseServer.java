package io.millrace.platform.database;

import com.zaxxer.hikari.util.DriverDataSource;
import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Properties;
import javax.sql.DataSource;

/**
 * A MySQL or MariaDB server, for callers that manage their own connections; all others use a {@link
 * Database}. Thread-safe; calls block for at most the times in the settings.
 */
public final class DatabaseServer {
  /** How long a connection may be idle within a transaction. */
  public static final Duration SILENCE = SessionLimits.IDLE_TRANSACTION;

  private final JdbcUrl url;
  private final DataSource source;

  private DatabaseServer(JdbcUrl url, DataSource source) {
    this.url = url;
    this.source = source;
  }

  /**
   * The server with these settings; does not connect yet.
   *
   * @throws MillraceException CONFIGURATION if the URL is not that of a server
   */
  public static DatabaseServer of(DatabaseSettings settings) {
    JdbcUrl url = JdbcUrl.of(settings);
    if (url.dialect() != Dialect.MYSQL) {
      throw new MillraceException(
          ErrorCode.CONFIGURATION,
          url.place() + " is not a database server; write jdbc:mysql://HOST:3306/NAME");
    }
    return new DatabaseServer(
        url,
        new DriverDataSource(
            url.text(), null, new Properties(), settings.user(), settings.password()));
  }

  /** Brings the tables of the module up to date, as {@link Database#open} does. */
  public void migrate(String name) {
    Migrations.run(source, Dialect.MYSQL, name);
  }

  /**
   * A new connection with explicit commits and READ COMMITTED isolation. The server ends it and
   * frees its locks if it is idle for {@link #SILENCE}: within a transaction in any case, on MySQL
   * at all times.
   */
  public Connection connect() throws SQLException {
    Connection connection = source.getConnection();
    try (Statement statement = connection.createStatement()) {
      statement.execute(url.sessionSetup());
      if (SessionLimits.of(connection).perTransaction()) {
        statement.execute(SessionLimits.lower(SILENCE));
      }
      connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
      connection.setAutoCommit(false);
      return connection;
    } catch (SQLException e) {
      connection.close();
      throw e;
    }
  }

  /** The database's name for messages, without user and password. */
  public String place() {
    return url.place();
  }
}
