package io.millrace.tests.drill.tasks;

import io.millrace.tests.drill.cluster.Clocks;
import io.millrace.tests.drill.cluster.DrillCluster;
import io.millrace.tests.drill.cluster.KeepFilesOnFailure;
import io.millrace.tests.drill.cluster.Shape;
import io.millrace.tests.drill.cluster.SharedDatabase;
import io.millrace.tests.process.Distribution;
import io.millrace.tests.server.SqlSchema;
import java.time.Duration;
import java.util.Optional;
import java.util.Random;
import java.util.SplittableRandom;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * The short form of {@link LongTaskDrill}: some kills and changes while a hundred planned times
 * pass, after an hour that was missed, selected by a seed, which it prints; {@code -Ddrill.seed=S}
 * repeats them.
 */
@Tag("drill")
@ExtendWith(KeepFilesOnFailure.class)
class ShortTaskDrillTest {
  private static final long SEED = Long.getLong("drill.seed", System.nanoTime());
  private static final int TASKS = 9;
  private static final int FAULTS = 3;

  @RegisterExtension static final SqlSchema SCHEMA = new SqlSchema();

  @BeforeAll
  static void assumeBuilt() {
    Distribution.assumeBuilt();
  }

  @Test
  void eachPlannedTimeIsLaunchedOrRecordedOnceUnderAnyFault() throws Exception {
    System.out.printf("task drill: seed %d%n", SEED);
    SharedDatabase database = SharedDatabase.of(SCHEMA.url(), SCHEMA.user(), SCHEMA.password());
    DrillCluster cluster =
        new DrillCluster(
            Shape.ofJobs(3, 1, Optional.of(database)),
            new SplittableRandom(SEED),
            Clocks.real(),
            name -> {});
    PlannedCount planned = new PlannedCount(database);
    try (TaskDrill drill = new TaskDrill(cluster, planned, new Random(SEED))) {
      drill.apply(TASKS, 2, 4);
      planned.stepBack(1);
      for (int fault = 1; fault <= FAULTS; fault++) {
        drill.fault(Duration.ofMillis(200), Duration.ofSeconds(2), 1 + fault % 2);
      }
      System.out.println(drill.judge());
    }
  }
}
