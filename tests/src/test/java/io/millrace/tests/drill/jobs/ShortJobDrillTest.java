package io.millrace.tests.drill.jobs;

import io.millrace.tests.drill.cluster.Clocks;
import io.millrace.tests.drill.cluster.DrillCluster;
import io.millrace.tests.drill.cluster.Fault;
import io.millrace.tests.drill.cluster.FaultDeck;
import io.millrace.tests.drill.cluster.FaultTally;
import io.millrace.tests.drill.cluster.KeepFilesOnFailure;
import io.millrace.tests.drill.cluster.LinkFault;
import io.millrace.tests.drill.cluster.PlannedFault;
import io.millrace.tests.drill.cluster.ProcessFault;
import io.millrace.tests.drill.cluster.RoundPlan;
import io.millrace.tests.drill.cluster.Shape;
import io.millrace.tests.drill.cluster.SharedDatabase;
import io.millrace.tests.drill.network.LinkFailure;
import io.millrace.tests.process.Distribution;
import io.millrace.tests.server.SqlSchema;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * The short form of {@link LongJobDrill}: each run executes one round with faults selected by a
 * seed, which it prints; {@code -Ddrill.seed=S} repeats them.
 */
@Tag("drill")
@ExtendWith(KeepFilesOnFailure.class)
class ShortJobDrillTest {
  private static final long SEED = Long.getLong("drill.seed", System.nanoTime());

  @RegisterExtension static final SqlSchema SCHEMA = new SqlSchema();

  private static final Duration GAP = Duration.ofSeconds(4);

  private static FaultDeck deck;
  private static JobDrill drill;

  @BeforeAll
  static void startTheCluster() throws Exception {
    Distribution.assumeBuilt();
    SharedDatabase database = SharedDatabase.of(SCHEMA.url(), SCHEMA.user(), SCHEMA.password());
    DrillCluster cluster =
        new DrillCluster(
            Shape.ofJobs(2, 2, Optional.of(database)),
            new SplittableRandom(SEED),
            Clocks.real(),
            name -> {});
    deck = FaultDeck.of(faults(cluster), new Random(SEED));
    drill = new JobDrill(cluster);
  }

  private static List<Fault> faults(DrillCluster cluster) {
    List<Fault> faults = new ArrayList<>();
    for (String name : cluster.shape().names()) {
      faults.add(new ProcessFault.Killed(List.of(name)));
    }
    for (String node : cluster.shape().executionNodeNames()) {
      faults.add(ProcessFault.Frozen.shortly(node));
      faults.add(new LinkFault.CutOff(node + ">c1", LinkFailure.BOTH));
    }
    return faults;
  }

  @AfterAll
  static void endTheCluster() throws Exception {
    if (drill != null) {
      System.out.println(drill.summary());
      drill.close();
    }
  }

  @Test
  void everyJobEndsOnceAndNoExclusiveJobsOverlapUnderAnyFault() throws Exception {
    System.out.printf("job drill: one round, seed %d%n", SEED);
    List<PlannedFault> plan = new RoundPlan(new Random(SEED), GAP).addAll(deck.deal(2)).plan();
    FaultTally tally = new FaultTally();
    drill.round(SEED, 15, plan, tally);
    System.out.println(tally.table());
  }
}
