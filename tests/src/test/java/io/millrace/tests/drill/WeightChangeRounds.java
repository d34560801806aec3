package io.millrace.tests.drill;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;

/** Rounds of several weight changes, each with a fault at one of its steps. */
final class WeightChangeRounds {
  private static final int CHANGES = 5;

  private final Drill drill;
  private final long seed;

  WeightChangeRounds(Drill drill, long seed) {
    this.drill = drill;
    this.seed = seed;
  }

  /** Runs that many of all faults, in random order; a step that is never seen is an error. */
  void play(int faults) throws Exception {
    List<WeightChangeFault> all = WeightChangeFault.all();
    Collections.shuffle(all, new Random(seed));
    List<WeightChangeFault> chosen = all.subList(0, Math.min(faults, all.size()));
    System.out.printf(
        "drill: %d of %d faults during weight changes, seed %d%n", chosen.size(), all.size(), seed);
    List<WeightChangeFault> unseen = new ArrayList<>();
    for (int first = 0; first < chosen.size(); first += CHANGES) {
      List<WeightChangeFault> some =
          chosen.subList(first, Math.min(first + CHANGES, chosen.size()));
      SplittableRandom random = new SplittableRandom(seed + first);
      drill.round(
          "weights round " + (first / CHANGES + 1),
          random,
          () -> {
            WeightChange change = new WeightChange(drill.cluster(), drill.watch(), random.split());
            for (WeightChangeFault fault : some) {
              if (!change.play(fault)) {
                unseen.add(fault);
              }
            }
            return some.toString();
          });
    }
    assertThat(unseen).as("faults whose step was never seen").isEmpty();
  }
}
