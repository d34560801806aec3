package io.millrace.tests.drill;

import io.millrace.tests.drill.cluster.DrillProgress;
import io.millrace.tests.drill.cluster.KeepFilesOnFailure;
import io.millrace.tests.drill.cluster.LongCluster;
import io.millrace.tests.drill.cluster.LongRun;
import io.millrace.tests.drill.cluster.Shape;
import io.millrace.tests.process.Distribution;
import java.time.Duration;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * The full drill of events: two central managers on one database server, three queue nodes, two
 * load balancers, every fault. Not part of an ordinary build, because it runs until the given
 * number of faults or minutes:
 *
 * <pre>
 * mvn package -Dtest='LongDrill#noAcknowledgedEventIsLostUnderAnyFault' \
 *     -Dsurefire.failIfNoSpecifiedTests=false \
 *     -Dmillrace.drill.faults=100 -Dmillrace.drill.seed=1 -Dmillrace.drill.progress=FILE
 * </pre>
 *
 * <p>The other two tests take about ten minutes and keep no progress.
 */
@ExtendWith(KeepFilesOnFailure.class)
class LongDrill {
  private static final Duration GAP = Duration.ofSeconds(3);
  private static final int ACCIDENTS = Integer.getInteger("drill.accidents", Integer.MAX_VALUE);
  private static final String SCHEMA = "millrace";

  private static DrillProgress progress;
  private static LongCluster cluster;
  private static Drill drill;

  @BeforeAll
  static void startTheCluster() throws Exception {
    Distribution.assumeBuilt();
    progress = DrillProgress.open("LongDrill");
    SplittableRandom random = new SplittableRandom(progress.seed() + progress.rounds());
    Drill.Crashes crashes = new Drill.Crashes();
    cluster =
        LongCluster.create(SCHEMA, random, database -> Shape.ofQueues(2, 3, 2, database), crashes);
    drill = new Drill(cluster.cluster(), crashes);
  }

  @AfterAll
  static void endTheCluster() throws Exception {
    if (drill != null) {
      System.out.println(drill.summary());
      drill.close();
    }
    if (cluster != null) {
      cluster.close();
    }
  }

  @Test
  void noAcknowledgedEventIsLostUnderAnyFault() throws Exception {
    new LongRun(progress, cluster.faults(), GAP).play(new FaultRounds(drill, progress.seed()));
  }

  @Test
  void noAcknowledgedEventIsLostIfAProcessDiesBetweenTwoStepsOfAWeightChange() throws Exception {
    new WeightChangeRounds(drill, progress.seed()).play(ACCIDENTS);
  }

  @Test
  void theMinimumOfSegmentsIsRestoredAfterAQueueNodeIsLost() throws Exception {
    new NodeLossRounds(drill, progress.seed()).play();
  }
}
