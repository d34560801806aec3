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
 * A separate schema that the benchmark creates on a MySQL or MariaDB server and drops when closed.
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
   * Creates the empty schema.
   *
   * @param url of the server; a schema in it is ignored
   * @throws MillraceException CONFIGURATION if the URL is not that of a server, STORE_FAILURE if
   *     the server refuses
   */
  public static SchemaDao create(String url, String user, String password) {
    Matcher parts = URL.matcher(url);
    if (!parts.matches()) {
      throw new MillraceException(
          ErrorCode.CONFIGURATION, "--database: use jdbc:mysql://HOST:3306/, not " + url);
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

  /** Settings with which central managers connect. */
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
          "database server %s refused '%s': %s".formatted(server.place(), sql, e.getMessage()),
          e);
    }
  }
}
