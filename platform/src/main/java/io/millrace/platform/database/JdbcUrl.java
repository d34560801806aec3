package io.millrace.platform.database;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * The URL that the driver really gets: the configured one plus what correctness depends on.
 *
 * @param dialect which database it leads to
 * @param text for the driver
 * @param sessionSetup SQL that every new connection runs
 * @param place what to call the database in messages
 */
record JdbcUrl(Dialect dialect, String text, String sessionSetup, String place) {

  private static final String H2_FILE = "jdbc:h2:file:";
  private static final String H2_OPENED = "jdbc:h2:async:";
  private static final String H2_MEMORY = "jdbc:h2:mem:";
  private static final String MYSQL = "jdbc:mysql://";
  // What is set by SQL instead, because it depends on the server.
  private static final String SESSION_VARIABLES = "sessionVariables=";
  private static final int STATEMENTS_KEPT = 64;

  static JdbcUrl of(DatabaseSettings settings) {
    String url = settings.url();
    if (url == null || url.isBlank()) {
      throw refuse("no database URL is configured");
    }
    if (url.startsWith(H2_FILE)) {
      String path = url.substring(H2_FILE.length());
      refuseOptions(path, ";");
      Path file = Path.of(path).toAbsolutePath().normalize();
      // `async:`: with H2's usual file access an interrupted thread closes the whole database.
      return h2(H2_OPENED + file, file.getParent().toString(), settings);
    }
    if (url.startsWith(H2_MEMORY)) {
      refuseOptions(url, ";");
      return h2(url, url, settings);
    }
    if (url.startsWith(MYSQL)) {
      return mysql(url, settings);
    }
    throw refuse("the database URL " + withoutOptions(url) + " is of an unknown kind");
  }

  /** The file of an H2 database; empty for any other. */
  Optional<Path> file() {
    if (!text.startsWith(H2_OPENED)) {
      return Optional.empty();
    }
    return Optional.of(Path.of(text.substring(H2_OPENED.length(), text.indexOf(';')) + ".mv.db"));
  }

  /**
   * WRITE_DELAY=0 because by default a killed process loses commits that were acknowledged. H2
   * keeps only eight parsed statements per connection by default, and parsing costs more than most
   * of them.
   */
  private static JdbcUrl h2(String base, String place, DatabaseSettings settings) {
    String options =
        ";WRITE_DELAY=0;DB_CLOSE_ON_EXIT=FALSE;MODE=MySQL;CASE_INSENSITIVE_IDENTIFIERS=TRUE"
            + ";QUERY_CACHE_SIZE="
            + STATEMENTS_KEPT
            + ";LOCK_TIMEOUT="
            + settings.lockTimeout().toMillis();
    // A time zone in the URL is ignored by H2, so it is set on each connection.
    String setup = "SET TIME ZONE 'UTC'; SET QUERY_TIMEOUT " + settings.queryTimeout().toMillis();
    return new JdbcUrl(Dialect.H2, base + options, setup, place);
  }

  private static JdbcUrl mysql(String url, DatabaseSettings settings) {
    List<String> options =
        List.of(
            "connectionTimeZone=UTC",
            "forceConnectionTimeZoneToSession=true",
            "characterEncoding=UTF-8",
            "rewriteBatchedStatements=true",
            "allowLoadLocalInfile=false",
            "allowMultiQueries=false",
            "connectTimeout=" + settings.connectionTimeout().toMillis(),
            // Beyond the query timeout, which needs an answer of the server to work.
            "socketTimeout=" + settings.queryTimeout().plusSeconds(15).toMillis());
    // The driver's option names are blind to case and may also stand within the host part.
    String given = url.toLowerCase(Locale.ROOT);
    List<String> own = new ArrayList<>(options);
    own.add(SESSION_VARIABLES);
    for (String option : own) {
      String key = option.substring(0, option.indexOf('=') + 1);
      if (given.contains(key.toLowerCase(Locale.ROOT))) {
        throw refuse("the option " + key + " of the database URL is set by Millrace itself");
      }
    }
    String separator = url.contains("?") ? "&" : "?";
    return new JdbcUrl(
        Dialect.MYSQL,
        url + separator + String.join("&", options),
        SessionLimits.setup(settings.lockTimeout()),
        withoutOptions(url));
  }

  private static void refuseOptions(String url, String separator) {
    if (url.contains(separator)) {
      throw refuse("an H2 database URL takes no options, Millrace sets them itself");
    }
  }

  private static String withoutOptions(String url) {
    return url.replaceAll("[?;].*", "").replaceAll("//[^/@]*@", "//");
  }

  private static MillraceException refuse(String what) {
    return new MillraceException(
        ErrorCode.CONFIGURATION,
        what
            + "; write jdbc:h2:file:PATH for one machine or jdbc:mysql://HOST:3306/NAME for a"
            + " MySQL 8+ or MariaDB 10.6+ server");
  }

  /**
   * The limits that a MySQL or MariaDB server puts on its sessions, so that a client that froze, or
   * that was cut off without a reset, does not keep its locks: the server ends the session and
   * rolls its transaction back.
   *
   * <p>MariaDB limits the time between two statements of a transaction ({@code
   * idle_transaction_timeout}). MySQL has only {@code wait_timeout}, which counts between any two
   * statements, so there it is lowered for as long as a transaction lasts, and an idle connection
   * of a pool is not touched. Both count the time in which the server waits for the client's next
   * statement; a client that stands in the middle of sending one, or of reading an answer, is
   * limited by {@code net_read_timeout} and {@code net_write_timeout}. Immutable.
   */
  static final class SessionLimits {
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
}
