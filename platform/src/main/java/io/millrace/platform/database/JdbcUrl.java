package io.millrace.platform.database;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * The URL passed to the driver: the configured one plus the options that correctness depends on.
 *
 * @param dialect the kind of database
 * @param text for the driver
 * @param sessionSetup SQL that every new connection runs
 * @param place the database's name in messages
 */
record JdbcUrl(Dialect dialect, String text, String sessionSetup, String place) {

  private static final String H2_FILE = "jdbc:h2:file:";
  private static final String H2_OPENED = "jdbc:h2:async:";
  private static final String H2_MEMORY = "jdbc:h2:mem:";
  private static final String MYSQL = "jdbc:mysql://";
  // Options that are set by SQL instead, because they depend on the server.
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
      // `async:`: with H2's default file access an interrupted thread closes the database.
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
    String lowerCase = url.toLowerCase(Locale.ROOT);
    List<String> own = new ArrayList<>(options);
    own.add(SESSION_VARIABLES);
    for (String option : own) {
      String key = option.substring(0, option.indexOf('=') + 1);
      if (lowerCase.contains(key.toLowerCase(Locale.ROOT))) {
        throw refuse("the option " + key + " of the database URL is reserved: Millrace sets it");
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
      throw refuse("options are not allowed in an H2 database URL; Millrace sets them");
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
}
