package io.millrace.platform.database;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.millrace.api.problem.ErrorCode;
import io.millrace.api.problem.MillraceException;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.time.Instant;
import java.util.List;
import org.jdbi.v3.core.ConnectionException;
import org.jdbi.v3.core.HandleCallback;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.JdbiException;
import org.jdbi.v3.core.statement.SqlStatements;
import org.jdbi.v3.core.transaction.TransactionIsolationLevel;

/**
 * One open database with its connections. Thread-safe; every call blocks, at most for the times in
 * the settings.
 *
 * <p>A database that gives no connection is a {@link MillraceException} with UNAVAILABLE, one that
 * takes too long with TIMEOUT; other failures are JDBI's exceptions.
 *
 * <p>Isolation is READ COMMITTED: a statement sees what was committed before it began, so decisions
 * are made by compare-and-set or under a row lock.
 */
public final class Database implements AutoCloseable {

  private static final int H2_ALREADY_OPEN = 90020;

  private final HikariDataSource source;
  private final Dialect dialect;
  private final String place;
  private final Jdbi jdbi;
  private final Repetition repetition;

  private Database(HikariDataSource source, JdbcUrl url, DatabaseSettings settings) {
    this.source = source;
    this.dialect = url.dialect();
    this.place = url.place();
    this.jdbi = Jdbi.create(source);
    this.repetition = new Repetition(dialect);
    UtcInstants.register(jdbi);
    if (dialect == Dialect.MYSQL) {
      // H2's connections have it as a session setting, which saves a command per statement.
      jdbi.getConfig(SqlStatements.class)
          .setQueryTimeout(Math.toIntExact(settings.queryTimeout().toSeconds()));
    }
  }

  /**
   * Opens the database and brings its tables up to date.
   *
   * @param migrations names of folders below {@code db/migration} on the class path, in order
   * @throws MillraceException with CONFIGURATION for a URL of an unknown kind, with STORE_FAILURE
   *     when the database can't be opened
   */
  public static Database open(DatabaseSettings settings, List<String> migrations) {
    JdbcUrl url = JdbcUrl.of(settings);
    HikariDataSource source = null;
    try {
      url.file().ifPresent(TornTail::mend);
      source = new HikariDataSource(pool(settings, url));
      for (String name : migrations) {
        Migrations.run(source, url.dialect(), name);
      }
      if (url.dialect() == Dialect.H2) {
        IdentityCaches.enlarge(source);
      }
      return new Database(source, url, settings);
    } catch (RuntimeException | SQLException failure) {
      if (source != null) {
        source.close();
      }
      throw explained(failure, url);
    }
  }

  private static HikariConfig pool(DatabaseSettings settings, JdbcUrl url) {
    HikariConfig config = new HikariConfig();
    config.setPoolName("database-" + url.dialect());
    config.setJdbcUrl(url.text());
    config.setUsername(settings.user());
    config.setPassword(settings.password());
    config.setMaximumPoolSize(settings.poolSize());
    config.setConnectionTimeout(settings.connectionTimeout().toMillis());
    config.setTransactionIsolation("TRANSACTION_READ_COMMITTED");
    if (url.dialect() == Dialect.H2) {
      config.setConnectionInitSql(url.sessionSetup());
      // An embedded database is closed with its last connection; let none be retired.
      config.setMaxLifetime(0);
    }
    return config;
  }

  private static MillraceException explained(Exception failure, JdbcUrl url) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof SQLException sql && sql.getErrorCode() == H2_ALREADY_OPEN) {
        return new MillraceException(
            ErrorCode.STORE_FAILURE,
            "another Millrace uses " + url.place() + "; stop it or give --data another folder",
            failure);
      }
    }
    return new MillraceException(
        ErrorCode.STORE_FAILURE,
        "cannot open the database at " + url.place() + ": " + rootMessage(failure),
        failure);
  }

  private static String rootMessage(Throwable failure) {
    Throwable root = failure;
    while (root.getCause() != null) {
      root = root.getCause();
    }
    return root.getMessage();
  }

  /** What differs between the databases. */
  public Dialect dialect() {
    return dialect;
  }

  /**
   * Runs the work in one transaction (a call within another on the same thread joins it) and
   * repeats all of it, some times, when the database rolled it back for a deadlock or a lock that
   * was not to be had. Work must therefore have no effects besides its SQL.
   */
  public <T, X extends Exception> T transaction(HandleCallback<T, X> work) throws X {
    return repetition.run(
        () -> reached(() -> jdbi.inTransaction(TransactionIsolationLevel.READ_COMMITTED, work)));
  }

  /** Runs the work without a transaction around it: each statement is one of its own. */
  public <T, X extends Exception> T read(HandleCallback<T, X> work) throws X {
    return reached(() -> jdbi.withHandle(work));
  }

  /** The database's clock in UTC: the one that all claims and leases are timed by. */
  public Instant now() {
    return read(handle -> handle.createQuery("SELECT " + dialect.now()).mapTo(Instant.class).one());
  }

  /**
   * Returns when everything committed so far has reached the disk. Only an embedded database needs
   * it, a server does so at each commit (as far as it is configured to).
   */
  public void force() {
    if (dialect == Dialect.H2) {
      read(handle -> handle.execute("CHECKPOINT SYNC"));
    }
  }

  /** Closes all connections, which closes an embedded database; waits for running statements. */
  @Override
  public void close() {
    source.close();
  }

  private <T, X extends Exception> T reached(Repetition.Work<T, X> work) throws X {
    try {
      return work.run();
    } catch (ConnectionException failure) {
      throw new MillraceException(
          ErrorCode.UNAVAILABLE,
          "the database at " + place + " gives no connection; it is down, cut off or overloaded",
          failure);
    } catch (JdbiException failure) {
      if (failure.getCause() instanceof SQLTimeoutException) {
        throw new MillraceException(
            ErrorCode.TIMEOUT,
            "the database at " + place + " took too long; it is overloaded, or a row stays locked",
            failure);
      }
      throw failure;
    }
  }
}
