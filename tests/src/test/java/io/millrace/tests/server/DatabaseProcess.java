package io.millrace.tests.server;

import io.millrace.tests.house.SourceTree;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;

/**
 * A MariaDB that a drill may kill and start again on the same data and port, with an environment of
 * its own. Thread-safe.
 */
public final class DatabaseProcess implements Closeable {
  private static final Duration START = Duration.ofSeconds(60);
  private static final String USER = "root";

  private final Path programs;
  private final Path folder;
  private final int port;
  private final Map<String, String> environment;
  // Guarded by this.
  private Process process;

  private DatabaseProcess(Path programs, Path folder, int port, Map<String, String> environment) {
    this.programs = programs;
    this.folder = folder;
    this.port = port;
    this.environment = Map.copyOf(environment);
  }

  /**
   * Makes an empty database in a folder, and starts its server on that port.
   *
   * @param environment added to the server's
   */
  public static DatabaseProcess create(
      Path folder, int port, String database, Map<String, String> environment) throws IOException {
    Path home = SourceTree.root().resolve("tests/target/mariadb");
    Path data = Files.createDirectories(folder.resolve("database"));
    Files.createDirectories(folder.resolve("scratch"));
    // Its server is not the one that is used.
    MariaDb.prepare(home, MariaDb.settings(home, data, folder.resolve("scratch")));
    DatabaseProcess server =
        new DatabaseProcess(home.resolve("programs"), folder, port, environment);
    server.start();
    server.execute("create database " + database);
    return server;
  }

  /** Starts it and waits until it answers. */
  public synchronized void start() {
    try {
      ProcessBuilder builder =
          new ProcessBuilder(
              programs.resolve("bin/mariadbd").toString(),
              "--no-defaults",
              "--basedir=" + programs,
              "--datadir=" + folder.resolve("database"),
              "--tmpdir=" + folder.resolve("scratch"),
              "--socket=" + folder.resolve("database.sock"),
              "--port=" + port,
              "--bind-address=127.0.0.1",
              "--skip-grant-tables",
              "--max-connections=500",
              "--user=" + System.getProperty("user.name"));
      builder.environment().put("LD_LIBRARY_PATH", programs.resolve("libs").toString());
      builder.environment().putAll(environment);
      Path log = folder.resolve("database.log");
      process =
          builder
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
              .start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    Awaitility.await("the database answers")
        .atMost(START)
        .pollInterval(Duration.ofMillis(100))
        .ignoreExceptionsInstanceOf(IOException.class)
        .until(
            () -> {
              execute("select 1");
              return true;
            });
  }

  /** kill -9. */
  public synchronized void kill() {
    process.toHandle().destroyForcibly();
    process.toHandle().onExit().join();
  }

  private void execute(String sql) throws IOException {
    try (Connection connection =
            DriverManager.getConnection("jdbc:mysql://127.0.0.1:" + port + "/", USER, "");
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    } catch (SQLException e) {
      throw new IOException(e);
    }
  }

  public int port() {
    return port;
  }

  public String user() {
    return USER;
  }

  @Override
  public synchronized void close() {
    process.destroy();
    try {
      if (!process.waitFor(30, TimeUnit.SECONDS)) {
        kill();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      kill();
    }
  }
}
