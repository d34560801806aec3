package io.millrace.tests.drill.cluster;

import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;

/** Rounds of faults until there are enough of them, with their progress kept. One thread. */
public final class LongRun {
  private static final int FAULTS = Integer.getInteger("millrace.drill.round", 20);

  private final DrillProgress progress;
  private final FaultDeck shortOnes;
  private final FaultDeck longOnes;
  private final Duration gap;

  /**
   * A run.
   *
   * @param gap mean time between the begins of two faults
   * @throws IllegalArgumentException if none of the faults is wanted
   */
  public LongRun(DrillProgress progress, Faults all, Duration gap) {
    FaultSelection wanted = FaultSelection.wanted();
    this.progress = progress;
    this.shortOnes = FaultDeck.of(wanted.of(all.shortOnes()), new Random(progress.seed()));
    this.longOnes = FaultDeck.of(wanted.of(all.longOnes()), new Random(progress.seed()));
    this.gap = gap;
    if (shortOnes.size() + longOnes.size() == 0) {
      throw new IllegalArgumentException("this drill has no faults of " + wanted);
    }
  }

  /** Load, faults and the judgement of one round. */
  public interface Round {
    /**
     * Plays it.
     *
     * @param faults takes the count of each fault
     * @throws AssertionError with everything that is wrong
     */
    void play(int number, List<PlannedFault> plan, FaultTally faults) throws Exception;
  }

  /**
   * Plays on where the progress stands.
   *
   * @throws AssertionError of the first round that went wrong; the next run goes on after it
   */
  public void play(Round round) throws Exception {
    for (int past = 1; past <= progress.rounds(); past++) {
      // The same decks as if they had been played in one go.
      plan(past);
    }
    try {
      while (progress.goesOn()) {
        play(round, progress.rounds() + 1);
      }
    } finally {
      System.out.println(progress);
    }
  }

  private void play(Round round, int number) throws Exception {
    List<PlannedFault> plan = plan(number);
    System.out.printf("round %d of seed %d: %s%n", number, progress.seed(), words(plan));
    FaultTally tally = new FaultTally();
    try {
      round.play(number, plan, tally);
    } catch (InterruptedException e) {
      throw e;
    } catch (Exception | AssertionError e) {
      progress.violated(e);
      throw e;
    }
    progress.passed(tally);
    System.out.printf(
        "round %d passed, %d of %d faults hit work%n", number, tally.counted(), tally.dealt());
  }

  private List<PlannedFault> plan(int number) {
    return RoundPlan.of(number, shortOnes, longOnes, FAULTS, gap, progress.seed());
  }

  /** A plan for the eyes. */
  public static String words(List<PlannedFault> plan) {
    return plan.stream().map(PlannedFault::toString).collect(Collectors.joining(", "));
  }
}
