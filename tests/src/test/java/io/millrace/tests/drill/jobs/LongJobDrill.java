package io.millrace.tests.drill.jobs;

import io.millrace.tests.cluster.Folders;
import io.millrace.tests.drill.cluster.Clocks;
import io.millrace.tests.drill.cluster.DrillCluster;
import io.millrace.tests.drill.cluster.Fault;
import io.millrace.tests.drill.cluster.FaultDeck;
import io.millrace.tests.drill.cluster.Ports;
import io.millrace.tests.drill.cluster.Shape;
import io.millrace.tests.drill.cluster.SharedDatabase;
import io.millrace.tests.drill.network.Cut;
import io.millrace.tests.process.Distribution;
import io.millrace.tests.server.DatabaseProcess;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * The drill of the batch system in full: three central managers on one MariaDB, four execution
 * nodes. Not part of an ordinary build, because it takes half an hour:
 *
 * <pre>
 * mvn package -Dtest=LongJobDrill -Dsurefire.failIfNoSpecifiedTests=false -Ddrill.rounds=20 -Ddrill.seed=1
 * </pre>
 *
 * <p>The database's clock is stepped where libfaketime is installed; one line says where it is not.
 */
class LongJobDrill {
  private static final long SEED = Long.getLong("drill.seed", System.nanoTime());
  private static final int ROUNDS = Integer.getInteger("drill.rounds", 20);
  private static final int FAULTS = 4;
  private static final int PLAIN = 40;
  private static final String SCHEMA = "millrace";
  private static final String DATABASE = "database";
  // Longer than any lease: what runs goes to another node.
  private static final Duration LONG = Duration.ofSeconds(20);

  private static Path folder;
  private static DatabaseProcess database;
  private static JobDrill drill;

  @BeforeAll
  static void startTheCluster() throws Exception {
    Distribution.assumeBuilt();
    SplittableRandom random = new SplittableRandom(SEED);
    folder = Files.createTempDirectory("millrace-job-drill");
    Clocks clocks = Clocks.steppable(folder);
    int port = new Ports(random).free();
    database = DatabaseProcess.create(folder, port, SCHEMA, clocks.environment(DATABASE));
    SharedDatabase shared =
        new SharedDatabase(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), port),
            SCHEMA,
            database.user(),
            "");
    Shape shape = Shape.ofJobs(3, 4, Optional.of(shared));
    DrillCluster cluster = new DrillCluster(shape, random, clocks, name -> {});
    drill = new JobDrill(cluster, FaultDeck.of(faults(cluster), new Random(SEED)));
  }

  private static List<Fault> faults(DrillCluster cluster) {
    List<Fault> faults = new ArrayList<>();
    Shape shape = cluster.shape();
    for (String name : shape.names()) {
      faults.add(new Fault.Killed(List.of(name)));
      faults.add(new Fault.Frozen(name));
    }
    for (String node : shape.executionNodeNames()) {
      faults.add(new Fault.Killed(List.of(node), LONG));
    }
    faults.add(new Fault.Killed(shape.centralNames(), LONG));
    faults.add(new Fault.DatabaseKilled(database));
    faults.add(new Fault.Outage(Duration.ofSeconds(5), Duration.ofSeconds(40)));
    faults.add(new Fault.Outage(Duration.ofSeconds(120), Duration.ofSeconds(125)));
    for (String link : cluster.links().names()) {
      if (!link.startsWith("readers>")) {
        for (Cut cut : Cut.values()) {
          faults.add(new Fault.CutOff(link, cut));
        }
      }
    }
    List<String> clocks = new ArrayList<>(shape.names());
    if (Clocks.library().isPresent()) {
      clocks.add(DATABASE);
    } else {
      System.err.println(
          "libfaketime is not installed: the database's clock is not stepped (apt install faketime)");
    }
    for (String clock : clocks) {
      faults.add(new Fault.Stepped(clock, 1));
      faults.add(new Fault.Stepped(clock, -1));
    }
    return faults;
  }

  @AfterAll
  static void endTheCluster() throws Exception {
    if (drill != null) {
      System.out.println(drill.summary());
      drill.close();
    }
    if (database != null) {
      database.close();
      Folders.delete(folder);
    }
  }

  @Test
  void everyJobEndsOnceAndNothingOverlapsWhateverHappens() throws Exception {
    System.out.printf("job drill: %d rounds, seed %d%n", ROUNDS, SEED);
    for (int round = 1; round <= ROUNDS; round++) {
      drill.round(SEED + round, PLAIN, FAULTS);
    }
  }
}
