package io.millrace.tests.drill.tasks;

import io.millrace.tests.drill.cluster.Clocks;
import io.millrace.tests.drill.cluster.DrillCluster;
import io.millrace.tests.drill.cluster.KeepFilesOnFailure;
import io.millrace.tests.drill.cluster.Shape;
import io.millrace.tests.process.Distribution;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Execution nodes that are cut off with a task of one instance: it never runs twice at the same
 * time, by its own journal. {@code -Ddrill.rounds=20} cuts off more nodes.
 */
@Tag("drill")
@ExtendWith(KeepFilesOnFailure.class)
class CutOffTaskTest {
  private static final int ROUNDS = Integer.getInteger("drill.rounds", 3);
  private static final List<String> TASKS = List.of("plain", "chunks", "until");

  @BeforeAll
  static void assumeBuilt() {
    Distribution.assumeBuilt();
  }

  @Test
  void aTaskWithOneInstanceNeverOverlapsWithItselfWhenItsNodeIsCutOff() throws Exception {
    DrillCluster cluster =
        new DrillCluster(
            Shape.ofJobs(1, 2, Optional.empty()),
            new SplittableRandom(),
            Clocks.real(),
            name -> {});
    try (ExclusiveTasks tasks = new ExclusiveTasks(cluster)) {
      tasks.define();
      for (int round = 0; round < ROUNDS; round++) {
        tasks.round(TASKS.get(round % TASKS.size()));
      }
      System.out.println(tasks.judge());
    }
  }
}
