package io.millrace.tests.drill.session;

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
import io.millrace.tests.drill.network.LinkFailure;
import io.millrace.tests.process.Distribution;
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

/**
 * The short form of {@link LongSessionDrill}: each run executes one round with faults selected by a
 * seed, which it prints; {@code -Ddrill.seed=S} repeats them, and {@code -Ddrill.faults=N} sets
 * their number.
 */
@Tag("drill")
@ExtendWith(KeepFilesOnFailure.class)
class ShortSessionDrillTest {
  private static final long SEED = Long.getLong("drill.seed", System.nanoTime());
  private static final int FAULTS = Integer.getInteger("drill.faults", 3);
  private static final Shape SHAPE = new Shape(1, 3, 1, 1, Optional.empty());
  private static final Duration GAP = Duration.ofSeconds(4);

  private static SessionDrill drill;
  private static FaultDeck deck;

  @BeforeAll
  static void startTheCluster() throws Exception {
    Distribution.assumeBuilt();
    DrillCluster cluster =
        new DrillCluster(SHAPE, new SplittableRandom(SEED), Clocks.real(), name -> {});
    drill = new SessionDrill(cluster);
    deck = FaultDeck.of(faults(cluster), new Random(SEED));
  }

  private static List<Fault> faults(DrillCluster cluster) {
    List<Fault> faults = new ArrayList<>(drill.shortFaults());
    for (String name : cluster.shape().names()) {
      faults.add(new ProcessFault.Killed(List.of(name)));
    }
    for (String node : cluster.shape().queueNodeNames()) {
      faults.add(ProcessFault.Frozen.shortly(node));
      faults.add(new LinkFault.CutOff("consumers>" + node, LinkFailure.BOTH));
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
  void everySessionIsWorkedOnInOrderByOneWorkerAtATime() throws Exception {
    System.out.printf("session drill: one round, seed %d%n", SEED);
    List<PlannedFault> plan = new RoundPlan(new Random(SEED), GAP).addAll(deck.deal(FAULTS)).plan();
    FaultTally tally = new FaultTally();
    drill.round(1, SEED, plan, tally);
    System.out.println(tally.table());
  }
}
