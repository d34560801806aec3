package io.millrace.platform.database;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.micrometer.core.instrument.MeterRegistry;
import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.platform.database.Repetition.LostConnections;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.jdbi.v3.core.ConnectionException;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.HandleCallback;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.JdbiException;
import org.jdbi.v3.core.statement.SqlStatements;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One open database with its connections. Thread-safe; every call blocks, at most for the times in
 * the settings.
 *
 * <p>If no connection is available, calls throw a {@link MillraceException} with UNAVAILABLE, and
 * with TIMEOUT if the database takes too long; other failures are JDBI's exceptions.
 *
 * <p>Isolation is READ COMMITTED: a statement sees what was committed before it began, so decisions
 * are made by compare-and-set or under a row lock. On H2 transactions run one at a time, in the
 * order of their calls.
 */
public final class Database implements AutoCloseable {

  private static final Logger LOGGER = LoggerFactory.getLogger(Database.class);
  private static final int H2_ALREADY_OPEN = 90020;
  private static final String LATEST = "latest";
  private static final int LOAD_SECONDS = 600;

  // All transactions may be waiting for rows that one of them, here or elsewhere, has locked.
  private static final int KEPT_FOR_READS = 2;

  private final HikariDataSource source;
  private final Dialect dialect;
  private final String place;
  private final String setup;
  private final Jdbi jdbi;
  private final LongAdder repetitions = new LongAdder();
  private final Repetition repetition = new Repetition(this::hadNoEffect, repetitions::increment);
  private final SessionLimits limits;
  private final Semaphore transactions;
  private final Duration timeout;

  /** Uses open connections; the tables are up to date. */
  Database(HikariDataSource source, JdbcUrl url, DatabaseSettings settings, SessionLimits limits) {
    this.source = source;
    this.dialect = url.dialect();
    this.place = url.place();
    this.setup = url.sessionSetup();
    this.jdbi = Jdbi.create(source);
    this.limits = limits;
    this.transactions = new Semaphore(concurrent(dialect, settings.poolSize()), true);
    this.timeout = settings.connectionTimeout();
    UtcInstants.register(jdbi);
    KeyList.register(jdbi, dialect);
    if (dialect == Dialect.MYSQL) {
      // H2's connections have it as a session setting, which saves one command per statement.
      jdbi.getConfig(SqlStatements.class)
          .setQueryTimeout(Math.toIntExact(settings.queryTimeout().toSeconds()));
    }
  }

  /**
   * How many transactions run at a time. One on H2, because its rollback can undo what another
   * transaction committed: it restores rows within a compare-and-set that is repeated when another
   * session writes the file meanwhile (docs/adr/0033).
   */
  private static int concurrent(Dialect dialect, int poolSize) {
    return dialect == Dialect.H2 ? 1 : Math.max(1, poolSize - KEPT_FOR_READS);
  }

  /**
   * Opens the database and brings its tables up to date.
   *
   * @param migrations names of folders below {@code db/migration} on the class path, in order
   * @throws MillraceException with CONFIGURATION for a URL of an unknown kind, with STORE_FAILURE
   *     when the database can't be opened
   */
  public static Database open(DatabaseSettings settings, List<String> migrations) {
    Map<String, String> latest = new LinkedHashMap<>();
    migrations.forEach(name -> latest.put(name, LATEST));
    return openAt(settings, latest);
  }

  /**
   * Opens the database and brings its tables up to those versions, not further.
   *
   * @param versions by the names of the folders below {@code db/migration}, in order
   * @throws MillraceException as {@link #open}; CONFIGURATION if this program does not know a
   *     version
   */
  public static Database openAt(DatabaseSettings settings, Map<String, String> versions) {
    JdbcUrl url = JdbcUrl.of(settings);
    HikariDataSource source = null;
    try {
      url.file().ifPresent(TornTail::repair);
      source = new HikariDataSource(pool(settings, url));
      for (Map.Entry<String, String> module : versions.entrySet()) {
        Migrations.run(source, url.dialect(), module.getKey(), module.getValue());
      }
      if (url.dialect() == Dialect.H2) {
        IdentityCaches.enlarge(source);
      }
      return new Database(source, url, settings, limits(source, url));
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
    config.setConnectionInitSql(url.sessionSetup());
    if (url.dialect() == Dialect.H2) {
      // An embedded database is closed with its last connection, so no connection may be retired.
      config.setMaxLifetime(0);
    }
    return config;
  }

  private static SessionLimits limits(HikariDataSource source, JdbcUrl url) throws SQLException {
    if (url.dialect() == Dialect.H2) {
      return SessionLimits.none();
    }
    try (Connection connection = source.getConnection()) {
      return SessionLimits.of(connection);
    }
  }

  private static MillraceException explained(Exception failure, JdbcUrl url) {
    if (failure instanceof MillraceException own && own.code() == ErrorCode.CONFIGURATION) {
      return own;
    }
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

  /** Measures statements and connections from now on (docs/metrics.md); called at most once. */
  public void measure(MeterRegistry registry) {
    jdbi.setSqlLogger(DatabaseMeters.of(source, registry, repetitions));
  }

  /** What differs between the databases. */
  public Dialect dialect() {
    return dialect;
  }

  /**
   * Runs the work in one transaction (a nested call on the same thread joins it) and repeats it a
   * few times if the database rolled it back because of a deadlock or a lock timeout, or if the
   * connection was lost before the commit was sent. The work must therefore have no effects besides
   * its SQL.
   *
   * <p>A server rolls back a transaction that is idle for {@link SessionLimits#IDLE_TRANSACTION},
   * because its process may be frozen or cut off. Some connections are reserved for {@link #read},
   * so that it does not wait for transactions that wait for locks.
   *
   * @throws MillraceException with STORE_FAILURE if the connection was lost during the commit, so
   *     that its outcome is unknown
   */
  public <T, X extends Exception> T transaction(HandleCallback<T, X> work) throws X {
    if (repetition.within()) {
      return jdbi.inTransaction(work);
    }
    enter();
    try {
      return reached(() -> repetition.run(() -> limited(work)));
    } finally {
      transactions.release();
    }
  }

  private void enter() {
    try {
      if (transactions.tryAcquire(timeout.toNanos(), TimeUnit.NANOSECONDS)) {
        return;
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    throw new MillraceException(
        ErrorCode.UNAVAILABLE,
        "the database at " + place + " is overloaded: all transactions are waiting");
  }

  private <T, X extends Exception> T limited(HandleCallback<T, X> work) throws X {
    if (!limits.perTransaction()) {
      return jdbi.withHandle(handle -> committed(handle, work));
    }
    return jdbi.withHandle(
        handle -> {
          handle.execute(SessionLimits.lower(SessionLimits.IDLE_TRANSACTION));
          try {
            return committed(handle, work);
          } finally {
            restoreLimit(handle);
          }
        });
  }

  private <T, X extends Exception> T committed(Handle handle, HandleCallback<T, X> work) throws X {
    boolean[] committing = {false};
    try {
      // The pool sets the isolation level; JDBI's way of setting and restoring it would hide why a
      // connection was lost.
      return handle.inTransaction(
          transaction -> {
            T result = work.withHandle(transaction);
            committing[0] = true;
            return result;
          });
    } catch (JdbiException failure) {
      if (committing[0] && LostConnections.isLost(failure)) {
        throw new MillraceException(
            ErrorCode.STORE_FAILURE,
            "the connection to the database at "
                + place
                + " was lost during a commit;"
                + " check whether the change was made before repeating it",
            failure);
      }
      throw failure;
    }
  }

  private static void restoreLimit(Handle handle) {
    try {
      handle.execute(SessionLimits.restore());
    } catch (JdbiException failure) {
      // The connection is lost, or will end early; either way the pool replaces it.
      LOGGER.debug("a session could not be reset to its normal limit", failure);
    }
  }

  private boolean hadNoEffect(RuntimeException failure) {
    if (failure instanceof MillraceException || failure instanceof ConnectionException) {
      return false;
    }
    return dialect.isRetryable(failure) || LostConnections.isLost(failure);
  }

  /** Runs the work without a transaction: each statement is committed by itself. */
  public <T, X extends Exception> T read(HandleCallback<T, X> work) throws X {
    return reached(() -> jdbi.withHandle(work));
  }

  /**
   * Passes on all rows of the tables as they were at one moment. Uses one connection for as long as
   * the receiver takes; changes by others go on and are not seen.
   *
   * @return the number of rows
   * @throws MillraceException STORE_FAILURE if the tables cannot be read
   */
  public long export(List<String> tables, TableRows to) throws IOException {
    try (Connection connection = source.getConnection()) {
      TableExport export = new TableExport(connection, dialect);
      try {
        export.begin();
        return export.write(tables, to);
      } finally {
        export.end(setup);
      }
    } catch (SQLException failure) {
      throw copyFailed(failure);
    }
  }

  /** Work that fills tables. */
  public interface LoadWork<T> {
    T load(TableLoad tables) throws IOException;
  }

  /**
   * Fills tables in one transaction of any length. For a database that is closed afterwards: the
   * connection keeps the limits of a long transaction.
   *
   * @param nextIds the least next generated id by table; takes effect even if the work fails
   * @throws MillraceException STORE_FAILURE if the tables cannot be written
   */
  public <T> T load(Map<String, Long> nextIds, LoadWork<T> work) throws IOException {
    try (Connection connection = source.getConnection()) {
      try (Statement statement = connection.createStatement()) {
        statement.execute(
            dialect == Dialect.H2 ? "SET QUERY_TIMEOUT 0" : SessionLimits.patient(LOAD_SECONDS));
      }
      GeneratedIds ids = new GeneratedIds(connection, dialect);
      for (Map.Entry<String, Long> next : nextIds.entrySet()) {
        ids.continueAt(next.getKey(), next.getValue());
      }
      TableLoad load = new TableLoad(connection, dialect);
      connection.setAutoCommit(false);
      boolean done = false;
      try {
        T result = work.load(load);
        connection.commit();
        done = true;
        return result;
      } finally {
        if (!done) {
          connection.rollback();
        }
      }
    } catch (SQLException failure) {
      throw copyFailed(failure);
    }
  }

  /**
   * The next generated id by table, of those of the tables that have one: lower ones may have been
   * given out, also to rows that were deleted.
   *
   * @throws MillraceException STORE_FAILURE if the tables cannot be read
   */
  public Map<String, Long> nextIds(List<String> tables) {
    try (Connection connection = source.getConnection()) {
      return new GeneratedIds(connection, dialect).next(tables);
    } catch (SQLException failure) {
      throw copyFailed(failure);
    }
  }

  static MillraceException copyFailed(SQLException failure) {
    return new MillraceException(
        ErrorCode.STORE_FAILURE,
        "the database's tables could not be copied: " + rootMessage(failure),
        failure);
  }

  /** The version of the tables of each module, by the module's name. */
  public Map<String, String> versions(List<String> migrations) {
    Map<String, String> versions = new LinkedHashMap<>();
    for (String name : migrations) {
      versions.put(name, Migrations.version(source, dialect, name));
    }
    return versions;
  }

  /** The database's clock in UTC, by which all claims and leases are timed. */
  public Instant now() {
    return read(handle -> handle.createQuery("SELECT " + dialect.now()).mapTo(Instant.class).one());
  }

  /**
   * Returns when everything committed so far has reached the disk. Only needed for an embedded
   * database; a server does so at each commit, as far as it is configured to.
   */
  public void force() {
    if (dialect == Dialect.H2) {
      read(handle -> handle.execute("CHECKPOINT SYNC"));
    }
  }

  /** Work on the file of an embedded database. */
  interface FileWork<T> {
    T run(Connection connection) throws SQLException;
  }

  /** Runs the work while no transaction is open; for an embedded database. */
  <T> T betweenTransactions(FileWork<T> work) {
    enter();
    try {
      return reached(() -> jdbi.withHandle(handle -> worked(handle.getConnection(), work)));
    } finally {
      transactions.release();
    }
  }

  private <T> T worked(Connection connection, FileWork<T> work) {
    try {
      return work.run(connection);
    } catch (SQLException failure) {
      throw new MillraceException(
          ErrorCode.STORE_FAILURE,
          "the file of the database at "
              + place
              + " cannot be compacted: "
              + rootMessage(failure)
              + "; if this repeats, restart the central manager",
          failure);
    }
  }

  /** Closes all connections, which closes an embedded database; waits for running statements. */
  @Override
  public void close() {
    source.close();
  }

  private <T, X extends Exception> T reached(Repetition.Work<T, X> work) throws X {
    if (repetition.within()) {
      // The enclosing transaction handles the failure.
      return work.run();
    }
    try {
      return work.run();
    } catch (ConnectionException failure) {
      throw new MillraceException(
          ErrorCode.UNAVAILABLE,
          "the database at " + place + " is not available: it is down, unreachable or overloaded",
          failure);
    } catch (JdbiException failure) {
      if (failure.getCause() instanceof SQLTimeoutException) {
        throw new MillraceException(
            ErrorCode.TIMEOUT,
            "the database at " + place + " took too long; it is overloaded, or a row stays locked",
            failure);
      }
      if (LostConnections.isLost(failure)) {
        throw new MillraceException(
            ErrorCode.UNAVAILABLE,
            "the database at " + place + " ended the connection; it is down or was restarted",
            failure);
      }
      throw failure;
    }
  }
}
