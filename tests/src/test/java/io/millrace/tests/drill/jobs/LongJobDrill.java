package io.millrace.tests.drill.jobs;

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
 * The full drill of the batch system: three central managers on one MariaDB, four execution nodes,
 * every fault. Not part of an ordinary build, because it runs until the given number of faults or
 * minutes:
 *
 * <pre>
 * mvn package -Dtest=LongJobDrill -Dsurefire.failIfNoSpecifiedTests=false \
 *     -Dmillrace.drill.faults=100 -Dmillrace.drill.seed=1 -Dmillrace.drill.progress=FILE
 * </pre>
 *
 * <p>The database's clock is stepped if libfaketime is installed, and disks are filled if small
 * file systems may be mounted; otherwise one line reports it.
 */
@ExtendWith(KeepFilesOnFailure.class)
class LongJobDrill {
  private static final Duration GAP = Duration.ofSeconds(3);
  private static final int PLAIN = 20;
  private static final String SCHEMA = "millrace";

  private static DrillProgress progress;
  private static LongCluster cluster;
  private static JobDrill drill;

  @BeforeAll
  static void startTheCluster() throws Exception {
    Distribution.assumeBuilt();
    progress = DrillProgress.open("LongJobDrill");
    SplittableRandom random = new SplittableRandom(progress.seed() + progress.rounds());
    cluster = LongCluster.create(SCHEMA, random, database -> Shape.ofJobs(3, 4, database));
    drill = new JobDrill(cluster.cluster());
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
  void everyJobEndsOnceAndNoExclusiveJobsOverlapUnderAnyFault() throws Exception {
    new LongRun(progress, cluster.faults(), GAP)
        .play((number, plan, tally) -> drill.round(progress.seed() + number, PLAIN, plan, tally));
  }
}
