package io.millrace.tests.drill;

import io.millrace.tests.drill.cluster.Shape;
import io.millrace.tests.process.Distribution;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The short form of {@link LongDrill}: some faults of other kinds at each run, from a seed that it
 * prints and that {@code -Ddrill.seed=S} gives again.
 */
@Tag("drill")
class ShortDrillTest {
  private static final long SEED = Long.getLong("drill.seed", System.nanoTime());
  private static final Shape SHAPE = Shape.ofQueues(1, 3, 2, Optional.empty());

  private static Drill drill;

  @BeforeAll
  static void startTheCluster() throws Exception {
    Distribution.assumeBuilt();
    drill = new Drill(SHAPE, new SplittableRandom(SEED));
  }

  @AfterAll
  static void endTheCluster() throws Exception {
    if (drill != null) {
      System.out.println(drill.summary());
      drill.close();
    }
  }

  @Test
  void nothingAcknowledgedIsLostWhenProcessesDieAndLinksAreCut() throws Exception {
    new FaultRounds(drill, SEED).play(1);
  }

  @Test
  void nothingAcknowledgedIsLostWhenSomebodyDiesBetweenTwoStepsOfAWeightChange() throws Exception {
    new WeightChangeRounds(drill, SEED).play(2);
  }
}
