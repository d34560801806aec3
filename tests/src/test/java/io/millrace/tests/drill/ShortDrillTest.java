package io.millrace.tests.drill;

import io.millrace.tests.drill.cluster.Clocks;
import io.millrace.tests.drill.cluster.DrillCluster;
import io.millrace.tests.drill.cluster.FaultDeck;
import io.millrace.tests.drill.cluster.FaultTally;
import io.millrace.tests.drill.cluster.Faults;
import io.millrace.tests.drill.cluster.KeepFilesOnFailure;
import io.millrace.tests.drill.cluster.PlannedFault;
import io.millrace.tests.drill.cluster.RoundPlan;
import io.millrace.tests.drill.cluster.Shape;
import io.millrace.tests.process.Distribution;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * The short form of {@link LongDrill}: each run selects some faults by a seed, which it prints;
 * {@code -Ddrill.seed=S} repeats them.
 */
@Tag("drill")
@ExtendWith(KeepFilesOnFailure.class)
class ShortDrillTest {
  private static final long SEED = Long.getLong("drill.seed", System.nanoTime());
  private static final Shape SHAPE = Shape.ofQueues(1, 3, 2, Optional.empty());

  private static final Duration GAP = Duration.ofSeconds(3);

  private static Drill drill;

  @BeforeAll
  static void startTheCluster() throws Exception {
    Distribution.assumeBuilt();
    Drill.Crashes crashes = new Drill.Crashes();
    DrillCluster cluster =
        new DrillCluster(SHAPE, new SplittableRandom(SEED), Clocks.real(), crashes);
    drill = new Drill(cluster, crashes);
  }

  @AfterAll
  static void endTheCluster() throws Exception {
    if (drill != null) {
      System.out.println(drill.summary());
      drill.close();
    }
  }

  @Test
  void noAcknowledgedEventIsLostWhenProcessesDieAndLinksAreCut() throws Exception {
    System.out.printf("drill: one round, seed %d%n", SEED);
    DrillCluster cluster = drill.cluster();
    FaultDeck deck =
        FaultDeck.of(new Faults(cluster, Optional.empty()).shortOnes(), new Random(SEED));
    List<PlannedFault> plan = new RoundPlan(new Random(SEED), GAP).addAll(deck.deal(3)).plan();
    FaultTally tally = new FaultTally();
    new FaultRounds(drill, SEED).play(1, plan, tally);
    System.out.println(tally.table());
  }

  @Test
  void noAcknowledgedEventIsLostIfAProcessDiesBetweenTwoStepsOfAWeightChange() throws Exception {
    new WeightChangeRounds(drill, SEED).play(2);
  }
}
