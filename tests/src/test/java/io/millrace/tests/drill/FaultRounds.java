package io.millrace.tests.drill;

import io.millrace.tests.drill.cluster.DrillCluster;
import io.millrace.tests.drill.cluster.FaultDeck;
import io.millrace.tests.drill.cluster.Nemesis;
import io.millrace.tests.drill.cluster.PlannedFault;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.stream.Collectors;

/** Rounds of several random faults at random times. */
final class FaultRounds {
  private static final int FAULTS = 3;
  private static final Duration BEGIN_WITHIN = Duration.ofSeconds(6);

  private final Drill drill;
  private final long seed;
  private final FaultDeck deck;

  FaultRounds(Drill drill, long seed) {
    this.drill = drill;
    this.seed = seed;
    DrillCluster cluster = drill.cluster();
    this.deck = FaultDeck.ofQueues(cluster.shape(), cluster.links().names(), new Random(seed));
  }

  /** Plays them; throws an AssertionError with the first that loses something. */
  void play(int rounds) throws Exception {
    System.out.printf(
        "drill: %d rounds of random faults out of %d, seed %d%n", rounds, deck.size(), seed);
    try (Nemesis nemesis = new Nemesis(drill.cluster())) {
      for (int round = 1; round <= rounds; round++) {
        SplittableRandom random = new SplittableRandom(seed + round);
        List<PlannedFault> plan =
            deck.deal(FAULTS).stream()
                .map(fault -> PlannedFault.of(fault, BEGIN_WITHIN, random))
                .toList();
        drill.round(
            "fault round " + round,
            random,
            () -> {
              nemesis.play(plan);
              return plan.stream().map(PlannedFault::toString).collect(Collectors.joining(", "));
            });
      }
    }
  }
}
