package io.millrace.tests.server;

import io.millrace.platform.database.DatabaseSettings;
import io.millrace.queuenode.store.mysql.SqlSegmentStore.SqlStoreSettings;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.opentest4j.TestAbortedException;

/**
 * An empty schema on a real server for the tests of one class; dropped afterwards. The first schema
 * starts the server; if no server can run, the class is skipped with the reason.
 */
public final class SqlSchema implements BeforeAllCallback, AfterAllCallback {
  private static final Namespace SERVERS = Namespace.create(SqlSchema.class);

  private SqlServer server;
  private String name;

  /** The server of this run, or the reason why there is none. */
  private record Found(SqlServer server, String problem) implements Closeable {
    static Found search() {
      try {
        return new Found(SqlServer.find(System.getenv()), null);
      } catch (SqlServer.UnavailableException e) {
        System.err.println(e.getMessage());
        return new Found(null, e.getMessage());
      }
    }

    @Override
    public void close() throws IOException {
      if (server != null) {
        server.close();
      }
    }
  }

  @Override
  public void beforeAll(ExtensionContext context) throws SQLException {
    Found found =
        context
            .getRoot()
            .getStore(SERVERS)
            .getOrComputeIfAbsent(Found.class, key -> Found.search(), Found.class);
    if (found.server() == null) {
      throw new TestAbortedException(found.problem());
    }
    server = found.server();
    String owner = context.getRequiredTestClass().getSimpleName().toLowerCase(Locale.ROOT);
    name = "millrace_" + ProcessHandle.current().pid() + "_" + owner;
    inServer("DROP DATABASE IF EXISTS " + name);
    inServer("CREATE DATABASE " + name);
  }

  @Override
  public void afterAll(ExtensionContext context) throws SQLException {
    if (name != null) {
      inServer("DROP DATABASE IF EXISTS " + name);
    }
  }

  /** Drops all tables. */
  public void empty() throws SQLException {
    inServer("DROP DATABASE IF EXISTS " + name);
    inServer("CREATE DATABASE " + name);
  }

  /**
   * Deletes all rows except the record of migrations. Much faster than {@link #empty}, for tests of
   * tables that no migration fills.
   */
  public void clear() throws SQLException {
    try (Connection connection = connect();
        Statement statement = connection.createStatement()) {
      List<String> tables = new ArrayList<>();
      try (ResultSet rows = statement.executeQuery("SHOW TABLES")) {
        while (rows.next()) {
          tables.add(rows.getString(1));
        }
      }
      statement.execute("SET FOREIGN_KEY_CHECKS = 0");
      for (String table : tables) {
        if (!table.startsWith("migration_")) {
          statement.execute("DELETE FROM `" + table + "`");
        }
      }
    }
  }

  public String url() {
    return server.url() + name;
  }

  public String user() {
    return server.user();
  }

  public String password() {
    return server.password();
  }

  /** The schema as a Millrace database. */
  public DatabaseSettings settings() {
    return DatabaseSettings.of(url(), user(), password());
  }

  /**
   * The same for an ordinary user, so that {@link #readOnly} applies to it. Only on the tests' own
   * server.
   */
  public DatabaseSettings ordinaryUser() throws SQLException {
    if (System.getenv(SqlServer.URL) != null && !Boolean.getBoolean("drill.own.server")) {
      throw new TestAbortedException("needs a server whose settings tests may change");
    }
    try (Connection connection = connect()) {
      OrdinaryUser.ensure(connection, name);
    }
    return DatabaseSettings.of(url(), OrdinaryUser.NAME, OrdinaryUser.PASSWORD);
  }

  /** Makes the server refuse all writes of ordinary users, or accept them again. */
  public void readOnly(boolean refuse) throws SQLException {
    inServer("SET GLOBAL read_only = " + (refuse ? 1 : 0));
  }

  /** The schema as the location of segment stores, with its password in a file in the folder. */
  public SqlStoreSettings store(Path folder) {
    return store(folder, url());
  }

  /** The same by another address. */
  public SqlStoreSettings store(Path folder, String url) {
    Path file = folder.resolve("password");
    try {
      Files.writeString(file, password() + "\n");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return new SqlStoreSettings(url, user(), file);
  }

  /** A connection for the test's own queries and faults. */
  public Connection connect() throws SQLException {
    return DriverManager.getConnection(url(), user(), password());
  }

  private void inServer(String sql) throws SQLException {
    try (Connection connection =
            DriverManager.getConnection(server.url(), server.user(), server.password());
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }
}
