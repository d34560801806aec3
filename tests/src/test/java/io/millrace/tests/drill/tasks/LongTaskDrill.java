package io.millrace.tests.drill.tasks;

import io.millrace.tests.cluster.Folders;
import io.millrace.tests.drill.cluster.Clocks;
import io.millrace.tests.drill.cluster.DrillCluster;
import io.millrace.tests.drill.cluster.Ports;
import io.millrace.tests.drill.cluster.Shape;
import io.millrace.tests.drill.cluster.SharedDatabase;
import io.millrace.tests.process.Distribution;
import io.millrace.tests.server.DatabaseProcess;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.Random;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/**
 * The drill of schedules in full: three central managers on one MariaDB, thirty tasks, a thousand
 * planned times and more. Not part of an ordinary build, because it takes some ten minutes:
 *
 * <pre>
 * mvn package -Dtest=LongTaskDrill -Dsurefire.failIfNoSpecifiedTests=false -Ddrill.fires=1000 -Ddrill.seed=1
 * </pre>
 *
 * <p>The database's clock is stepped forward by an hour in the middle where libfaketime is
 * installed; elsewhere the schedules are moved back by one before they begin, which looks the same
 * to them.
 */
class LongTaskDrill {
  private static final long SEED = Long.getLong("drill.seed", System.nanoTime());
  private static final int FIRES = Integer.getInteger("drill.fires", 1000);
  private static final int TASKS = 30;
  private static final int SHORTEST = 5;
  private static final int LONGEST = 9;
  private static final String SCHEMA = "millrace";
  private static final String DATABASE = "database";

  @Test
  void eachPlannedTimeIsLaunchedOnceOrRecordedOnceWhateverHappens() throws Exception {
    System.out.printf("task drill: %d planned times, seed %d%n", FIRES, SEED);
    Distribution.assumeBuilt();
    SplittableRandom random = new SplittableRandom(SEED);
    Path folder = Files.createTempDirectory("millrace-task-drill");
    Clocks clocks = Clocks.steppable(folder);
    int port = new Ports(random).free();
    try (DatabaseProcess database =
        DatabaseProcess.create(folder, port, SCHEMA, clocks.environment(DATABASE))) {
      InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
      SharedDatabase shared = new SharedDatabase(address, SCHEMA, database.user(), "");
      DrillCluster cluster =
          new DrillCluster(Shape.ofJobs(3, 2, Optional.of(shared)), random, clocks, name -> {});
      PlannedCount planned = new PlannedCount(shared);
      try (TaskDrill drill = new TaskDrill(cluster, planned, new Random(SEED))) {
        play(drill, planned, clocks);
      }
    } finally {
      Folders.delete(folder);
    }
  }

  private static void play(TaskDrill drill, PlannedCount planned, Clocks clocks) throws Exception {
    drill.apply(TASKS, SHORTEST, LONGEST);
    boolean stepped = Clocks.library().isEmpty();
    if (stepped) {
      planned.stepBack(1);
    }
    for (int round = 1; planned.now() < FIRES; round++) {
      if (round % 5 == 0) {
        // Longer than a planned time may be late.
        drill.fault(Duration.ofSeconds(35), Duration.ofSeconds(45), 3);
      } else {
        drill.fault(Duration.ofMillis(200), Duration.ofSeconds(8), 1 + round % 2);
      }
      clocks.step("c" + (1 + round % 3), round % 2);
      if (!stepped && planned.now() > FIRES / 2) {
        clocks.step(DATABASE, 1);
        stepped = true;
      }
    }
    System.out.println(drill.judge());
  }
}
