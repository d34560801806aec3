package io.millrace.bench.job;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.platform.database.DatabaseServer;
import io.millrace.platform.database.DatabaseSettings;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A schema that the benchmark makes on a MySQL or MariaDB server and drops when closed, so that it
 * touches nobody's data.
 */
public final class SchemaDao implements AutoCloseable {
  private static final Pattern URL = Pattern.compile("(jdbc:mysql://[^/?]+)(/[^?]*)?(\\?.*)?");

  private final DatabaseServer server;
  private final DatabaseSettings settings;
  private final String name;

  private SchemaDao(DatabaseServer server, DatabaseSettings settings, String name) {
    this.server = server;
    this.settings = settings;
    this.name = name;
  }

  /**
   * Makes it, empty.
   *
   * @param url of the server; a schema named in it is left alone
   * @throws MillraceException CONFIGURATION when the URL is not one of a server, STORE_FAILURE when
   *     the server refuses
   */
  public static SchemaDao create(String url, String user, String password) {
    Matcher parts = URL.matcher(url);
    if (!parts.matches()) {
      throw new MillraceException(
          ErrorCode.CONFIGURATION, "--database: write jdbc:mysql://HOST:3306/, not " + url);
    }
    String name = "millrace_bench_" + ProcessHandle.current().pid();
    String options = parts.group(3) == null ? "" : parts.group(3);
    DatabaseServer server =
        DatabaseServer.of(DatabaseSettings.of(parts.group(1) + "/" + options, user, password));
    execute(server, "drop schema if exists " + name);
    execute(server, "create schema " + name);
    return new SchemaDao(
        server, DatabaseSettings.of(parts.group(1) + "/" + name + options, user, password), name);
  }

  /** How central managers reach it. */
  public DatabaseSettings settings() {
    return settings;
  }

  @Override
  public void close() {
    execute(server, "drop schema if exists " + name);
  }

  private static void execute(DatabaseServer server, String sql) {
    try (Connection connection = server.connect();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    } catch (SQLException e) {
      throw new MillraceException(
          ErrorCode.STORE_FAILURE,
          "the database server " + server.place() + " refused '" + sql + "': " + e.getMessage(),
          e);
    }
  }
}
