package io.millrace.tests.drill;

import io.millrace.tests.drill.cluster.FaultInjector;
import io.millrace.tests.drill.cluster.FaultTally;
import io.millrace.tests.drill.cluster.LongRun;
import io.millrace.tests.drill.cluster.PlannedFault;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;

/** Rounds of several random faults that overlap, while weights change. */
final class FaultRounds implements LongRun.Round {
  private final Drill drill;
  private final long seed;

  FaultRounds(Drill drill, long seed) {
    this.drill = drill;
    this.seed = seed;
  }

  @Override
  public void play(int number, List<PlannedFault> plan, FaultTally faults) throws Exception {
    try (FaultInjector injector = new FaultInjector(drill.cluster())) {
      drill.round(
          "fault round " + number,
          new SplittableRandom(seed + number),
          () -> {
            try (RepeatedDrains churn =
                new RepeatedDrains(drill.cluster(), new Random(seed + number))) {
              assert churn != null;
              faults.add(injector.play(plan));
            }
            return LongRun.words(plan);
          });
    }
  }
}
