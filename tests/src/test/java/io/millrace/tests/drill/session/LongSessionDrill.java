package io.millrace.tests.drill.session;

import io.millrace.tests.drill.cluster.DrillProgress;
import io.millrace.tests.drill.cluster.Fault;
import io.millrace.tests.drill.cluster.Faults;
import io.millrace.tests.drill.cluster.KeepFilesOnFailure;
import io.millrace.tests.drill.cluster.LongCluster;
import io.millrace.tests.drill.cluster.LongRun;
import io.millrace.tests.drill.cluster.Shape;
import io.millrace.tests.process.Distribution;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * The full drill of sessions: two central managers on one database server, three queue nodes, a
 * load balancer, two execution nodes, two programs outside and two jobs that work on sessions,
 * every fault. Not part of an ordinary build, because it runs until the given number of rounds,
 * faults or minutes:
 *
 * <pre>
 * mvn package -Dtest=LongSessionDrill -Dsurefire.failIfNoSpecifiedTests=false \
 *     -Dmillrace.drill.rounds=20 -Dmillrace.drill.faults=100000 \
 *     -Dmillrace.drill.seed=1 -Dmillrace.drill.progress=FILE
 * </pre>
 */
@ExtendWith(KeepFilesOnFailure.class)
class LongSessionDrill {
  private static final Duration GAP = Duration.ofSeconds(4);
  private static final String SCHEMA = "millrace";

  private static DrillProgress progress;
  private static LongCluster cluster;
  private static SessionDrill drill;

  @BeforeAll
  static void startTheCluster() throws Exception {
    Distribution.assumeBuilt();
    progress = DrillProgress.open("LongSessionDrill");
    SplittableRandom random = new SplittableRandom(progress.seed() + progress.rounds());
    cluster = LongCluster.create(SCHEMA, random, database -> new Shape(2, 3, 1, 2, database));
    drill = new SessionDrill(cluster.cluster());
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
  void everySessionIsWorkedOnInOrderByOneWorkerAtATimeUnderAnyFault() throws Exception {
    Faults all = cluster.faults();
    List<Fault> shortOnes = new ArrayList<>(all.shortOnes());
    shortOnes.addAll(drill.shortFaults());
    List<Fault> longOnes = new ArrayList<>(all.longOnes());
    longOnes.addAll(drill.longFaults());
    new LongRun(progress, shortOnes, longOnes, GAP)
        .play((number, plan, tally) -> drill.round(number, progress.seed() + number, plan, tally));
  }
}
