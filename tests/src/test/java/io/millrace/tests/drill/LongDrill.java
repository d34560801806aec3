package io.millrace.tests.drill;

import io.millrace.tests.drill.cluster.Shape;
import io.millrace.tests.drill.cluster.SharedDatabase;
import io.millrace.tests.process.Distribution;
import io.millrace.tests.server.SqlSchema;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * The drill in full: two central managers on one database server, three queue nodes, two load
 * balancers. Not part of an ordinary build, because it takes a quarter of an hour:
 *
 * <pre>
 * mvn package -Dtest=LongDrill -Dsurefire.failIfNoSpecifiedTests=false -Ddrill.rounds=20 -Ddrill.seed=1
 * </pre>
 */
class LongDrill {
  private static final long SEED = Long.getLong("drill.seed", System.nanoTime());
  private static final int ROUNDS = Integer.getInteger("drill.rounds", 20);
  private static final int ACCIDENTS = Integer.getInteger("drill.accidents", Integer.MAX_VALUE);

  @RegisterExtension static final SqlSchema SCHEMA = new SqlSchema();

  private static Drill drill;

  @BeforeAll
  static void startTheCluster() throws Exception {
    Distribution.assumeBuilt();
    SharedDatabase database = SharedDatabase.of(SCHEMA.url(), SCHEMA.user(), SCHEMA.password());
    Shape shape = Shape.ofQueues(2, 3, 2, Optional.of(database));
    drill = new Drill(shape, new SplittableRandom(SEED));
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
    new FaultRounds(drill, SEED).play(ROUNDS);
  }

  @Test
  void nothingAcknowledgedIsLostWhenSomebodyDiesBetweenTwoStepsOfAWeightChange() throws Exception {
    new WeightChangeRounds(drill, SEED).play(ACCIDENTS);
  }

  @Test
  void theMinimumOfSegmentsIsRestoredAfterAQueueNodeIsLost() throws Exception {
    new LossRounds(drill, SEED).play();
  }
}
