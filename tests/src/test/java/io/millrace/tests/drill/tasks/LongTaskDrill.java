package io.millrace.tests.drill.tasks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.millrace.tests.drill.cluster.Clocks;
import io.millrace.tests.drill.cluster.DatabaseFault;
import io.millrace.tests.drill.cluster.DrillProgress;
import io.millrace.tests.drill.cluster.FaultCell;
import io.millrace.tests.drill.cluster.FaultKind;
import io.millrace.tests.drill.cluster.FaultRole;
import io.millrace.tests.drill.cluster.FaultSelection;
import io.millrace.tests.drill.cluster.FaultTally;
import io.millrace.tests.drill.cluster.KeepFilesOnFailure;
import io.millrace.tests.drill.cluster.LongCluster;
import io.millrace.tests.drill.cluster.Shape;
import io.millrace.tests.process.Distribution;
import java.time.Duration;
import java.util.Random;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.opentest4j.TestAbortedException;

/**
 * The full drill of schedules: three central managers on one MariaDB, thirty tasks, and kills of
 * managers while a thousand planned times pass, or until the given number of rounds or minutes. Not
 * part of an ordinary build, because it takes about ten minutes:
 *
 * <pre>
 * mvn package -Dtest=LongTaskDrill -Dsurefire.failIfNoSpecifiedTests=false \
 *     -Ddrill.rounds=24 -Dmillrace.drill.seed=1 -Dmillrace.drill.progress=FILE
 * </pre>
 *
 * <p>If libfaketime is installed, the database's clock is stepped forward by an hour in the middle;
 * otherwise the schedules are moved back by an hour before they start, which has the same effect.
 * Kills count once everything was checked. The drill ends before its last round if its minutes are
 * over; another run with its progress continues with the next seed.
 */
@ExtendWith(KeepFilesOnFailure.class)
class LongTaskDrill {
  // About forty planned times pass in each.
  private static final int ROUNDS = Integer.getInteger("drill.rounds", 24);
  private static final int TASKS = 30;
  private static final int SHORTEST = 5;
  private static final int LONGEST = 9;
  private static final String SCHEMA = "millrace";
  private static final FaultCell KILLS = new FaultCell(FaultKind.KILL, FaultRole.CENTRAL_MANAGER);

  @Test
  void eachPlannedTimeIsLaunchedOrRecordedOnceUnderAnyFault() throws Exception {
    Distribution.assumeBuilt();
    FaultSelection wanted = FaultSelection.wanted();
    assertThat(wanted).as("this drill kills central managers").matches(one -> one.takes(KILLS));
    DrillProgress progress = DrillProgress.open("LongTaskDrill");
    assumeTrue(progress.goesOn(), "the requested number of faults has been counted");
    long seed = progress.seed() + progress.rounds();
    FaultTally tally = new FaultTally();
    try (LongCluster cluster =
        LongCluster.create(
            SCHEMA, new SplittableRandom(seed), database -> Shape.ofJobs(3, 2, database))) {
      PlannedCount planned = new PlannedCount(cluster.shared());
      try (TaskDrill drill = new TaskDrill(cluster.cluster(), planned, new Random(seed))) {
        play(drill, planned, cluster.cluster().clocks(), progress, tally);
      }
      progress.passed(tally);
    } catch (TestAbortedException e) {
      throw e;
    } catch (Exception | AssertionError e) {
      progress.violated(e);
      throw e;
    } finally {
      System.out.println(progress);
    }
  }

  private static void play(
      TaskDrill drill,
      PlannedCount planned,
      Clocks clocks,
      DrillProgress progress,
      FaultTally tally)
      throws Exception {
    drill.apply(TASKS, SHORTEST, LONGEST);
    boolean stepped = Clocks.library().isEmpty();
    if (stepped) {
      planned.stepBack(1);
    }
    for (int round = 1; round <= ROUNDS && progress.goesOn(); round++) {
      if (round % 5 == 0) {
        // Longer than the permitted lateness of a planned time.
        tally.add(drill.fault(Duration.ofSeconds(35), Duration.ofSeconds(45), 3));
      } else {
        tally.add(drill.fault(Duration.ofMillis(200), Duration.ofSeconds(8), 1 + round % 2));
      }
      clocks.step("c" + (1 + round % 3), round % 2);
      if (!stepped && round >= ROUNDS / 2) {
        clocks.step(DatabaseFault.DATABASE, 1);
        stepped = true;
      }
    }
    System.out.println(drill.judge());
    assumeTrue(stepped, "not counted: the minutes were over before the database's clock stepped");
  }
}
