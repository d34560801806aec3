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
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;

/**
 * A MariaDB that a drill may kill, freeze, make read-only and restart on the same data and port,
 * with its own environment. Users of its database have no privileges beyond it, so that read_only
 * applies to them. Thread-safe.
 */
public final class DatabaseProcess implements Closeable {
  private static final Duration START = Duration.ofMinutes(2);

  /** The user with all privileges on the database and no others. */
  public static final String USER = "millrace";

  private static final String ADMIN = "drill";

  /** The password of all users. */
  public static final String PASSWORD = "drill";

  private static final String USERS =
      """
      create database if not exists %1$s;
      create user if not exists '%2$s'@'%%' identified by '%4$s';
      grant all on %1$s.* to '%2$s'@'%%';
      create user if not exists '%3$s'@'%%' identified by '%4$s';
      grant all on *.* to '%3$s'@'%%' with grant option;
      """;

  private final Path programs;
  private final Path folder;
  private final int port;
  private final Map<String, String> environment;
  private final List<String> options;
  // Guarded by this.
  private Process process;

  private DatabaseProcess(
      Path programs, Path folder, int port, Map<String, String> environment, List<String> options) {
    this.programs = programs;
    this.folder = folder;
    this.port = port;
    this.environment = Map.copyOf(environment);
    this.options = List.copyOf(options);
  }

  /**
   * Creates an empty database in a folder and starts its server on that port.
   *
   * @param environment added to the server's environment
   * @param options of the server, in addition to those that every drill needs
   */
  public static DatabaseProcess create(
      Path folder, int port, String database, Map<String, String> environment, String... options)
      throws IOException {
    Path home = SourceTree.root().resolve("tests/target/mariadb");
    Path data = Files.createDirectories(folder.resolve("database"));
    Files.createDirectories(folder.resolve("scratch"));
    // Its server is not used.
    MariaDb.prepare(home, MariaDb.settings(home, data, folder.resolve("scratch")));
    Files.writeString(
        folder.resolve("users.sql"), USERS.formatted(database, USER, ADMIN, PASSWORD));
    DatabaseProcess server =
        new DatabaseProcess(home.resolve("programs"), folder, port, environment, List.of(options));
    server.start();
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
              "--skip-name-resolve",
              // Otherwise each start generates a key, which takes minutes on a busy machine.
              "--skip-ssl",
              "--init-file=" + folder.resolve("users.sql"),
              "--max-connections=500",
              "--user=" + System.getProperty("user.name"));
      builder.command().addAll(options);
      builder.environment().put("LD_LIBRARY_PATH", programs.resolve("libs").toString());
      builder.environment().putAll(environment);
      // Next to the folder, whose disk may be full.
      Path log = folder.resolveSibling(folder.getFileName() + ".log");
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

  /**
   * Waits until it is writable again after its disk was full, and restarts it whenever it ends
   * meanwhile, which may happen even after space was freed.
   */
  public synchronized void recover() {
    Awaitility.await("the database writes")
        .pollInSameThread()
        .atMost(START)
        .pollInterval(Duration.ofMillis(500))
        .ignoreExceptionsInstanceOf(IOException.class)
        .until(
            () -> {
              if (!process.isAlive()) {
                start();
              }
              execute("create or replace table mysql.recovered (id int primary key)");
              execute("insert into mysql.recovered values (1)");
              execute("flush tables");
              return process.isAlive();
            });
  }

  /** Freezes it with SIGSTOP, with its connections. */
  public synchronized void freeze() {
    signal("STOP");
  }

  /** Resumes it after {@link #freeze}. */
  public synchronized void thaw() {
    signal("CONT");
  }

  private void signal(String signal) {
    try {
      new ProcessBuilder("sh", "-c", "kill -" + signal + " " + process.pid()).start().waitFor();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Makes it read-only for its users, as a replica or a server during a failover is. */
  public synchronized void readOnly(boolean on) {
    administer("set global read_only = " + (on ? 1 : 0));
  }

  /** Runs statements as its administrator, one after the other. */
  public synchronized void administer(String... statements) {
    try {
      for (String sql : statements) {
        execute(sql);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void execute(String sql) throws IOException {
    try (Connection connection =
            DriverManager.getConnection("jdbc:mysql://127.0.0.1:" + port + "/", ADMIN, PASSWORD);
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    } catch (SQLException e) {
      throw new IOException(e);
    }
  }

  public int port() {
    return port;
  }

  @Override
  public synchronized void close() {
    thaw();
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
