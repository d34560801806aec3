package io.millrace.tests.drill.cluster;

import io.millrace.tests.cluster.Folders;
import io.millrace.tests.server.DatabaseProcess;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * The cluster of a long drill with its own database server, small disks and clocks that can be
 * stepped. Closing it closes the database; the drill closes the cluster first.
 */
public final class LongCluster implements Closeable {
  private static final int DATABASE_MEBIBYTES = 1024;

  private final Path folder;
  private final DatabaseProcess database;
  private final DrillCluster cluster;
  // Ends the database if the drill itself is stopped.
  private final Thread emergency;

  private LongCluster(Path folder, DatabaseProcess database, DrillCluster cluster) {
    this.folder = folder;
    this.database = database;
    this.cluster = cluster;
    this.emergency = new Thread(database::close, "end of the drill's database");
  }

  /** Starts the database; the drill starts the cluster. */
  public static LongCluster create(
      String schema,
      SplittableRandom random,
      Function<Optional<SharedDatabase>, Shape> shape,
      Consumer<String> crashes)
      throws IOException {
    Path folder = Files.createTempDirectory("millrace-long-drill");
    Clocks clocks = Clocks.steppable(folder);
    if (Clocks.library().isEmpty()) {
      System.err.println(
          "libfaketime is not installed: the database's clock is not stepped (apt install"
              + " faketime)");
    }
    int port = new Ports(random).free();
    InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    SharedDatabase shared =
        new SharedDatabase(address, schema, DatabaseProcess.USER, DatabaseProcess.PASSWORD);
    DrillCluster cluster =
        new DrillCluster(shape.apply(Optional.of(shared)), random, clocks, crashes);
    cluster.limitDisks();
    Path disk = Files.createDirectories(folder.resolve("disk"));
    cluster.disks().mount(DatabaseFault.DATABASE, disk, DATABASE_MEBIBYTES);
    DatabaseProcess database =
        DatabaseProcess.create(disk, port, schema, clocks.environment(DatabaseFault.DATABASE));
    LongCluster all = new LongCluster(folder, database, cluster);
    Runtime.getRuntime().addShutdownHook(all.emergency);
    return all;
  }

  /** The same for a drill that ignores crashes. */
  public static LongCluster create(
      String schema, SplittableRandom random, Function<Optional<SharedDatabase>, Shape> shape)
      throws IOException {
    return create(schema, random, shape, name -> {});
  }

  public DrillCluster cluster() {
    return cluster;
  }

  public DatabaseProcess database() {
    return database;
  }

  /** The address of the database without links. */
  public SharedDatabase shared() {
    return cluster.shape().database().orElseThrow();
  }

  /** Every fault of the cluster and of its database. */
  public Faults faults() {
    return new Faults(cluster, Optional.of(database));
  }

  @Override
  public void close() throws IOException {
    Runtime.getRuntime().removeShutdownHook(emergency);
    database.close();
    if (!Boolean.getBoolean("drill.keep")) {
      Folders.delete(folder);
    }
  }
}
