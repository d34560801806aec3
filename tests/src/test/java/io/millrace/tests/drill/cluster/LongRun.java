package io.millrace.tests.drill.cluster;

import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;

/** Rounds of faults until enough faults have counted, with stored progress. Not thread-safe. */
public final class LongRun {
  private static final int FAULTS = Integer.getInteger("millrace.drill.round", 20);

  private final DrillProgress progress;
  private final FaultDeck shortOnes;
  private final FaultDeck longOnes;
  private final Duration gap;

  /**
   * A run.
   *
   * @param gap mean time between the starts of two faults
   * @throws IllegalArgumentException if none of the faults is selected
   */
  public LongRun(DrillProgress progress, Faults all, Duration gap) {
    this(progress, all.shortOnes(), all.longOnes(), gap);
  }

  /** The same with these faults: those that end within about a minute, and those that take more. */
  public LongRun(
      DrillProgress progress, List<Fault> shortOnes, List<Fault> longOnes, Duration gap) {
    FaultSelection wanted = FaultSelection.wanted();
    this.progress = progress;
    this.shortOnes = FaultDeck.of(wanted.of(shortOnes), new Random(progress.seed()));
    this.longOnes = FaultDeck.of(wanted.of(longOnes), new Random(progress.seed()));
    this.gap = gap;
    if (this.shortOnes.size() + this.longOnes.size() == 0) {
      throw new IllegalArgumentException("this drill has no faults of " + wanted);
    }
  }

  /** Load, faults and the check of one round. */
  public interface Round {
    /**
     * Executes the round.
     *
     * @param faults receives the count of each fault
     * @throws AssertionError with all violations
     */
    void play(int number, List<PlannedFault> plan, FaultTally faults) throws Exception;
  }

  /**
   * Executes rounds, continuing from the stored progress.
   *
   * @throws AssertionError of the first round with violations; the next run continues after it
   */
  public void play(Round round) throws Exception {
    for (int past = 1; past <= progress.rounds(); past++) {
      // Advances the decks as if all rounds were in this run.
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

  /** A plan as text. */
  public static String words(List<PlannedFault> plan) {
    return plan.stream().map(PlannedFault::toString).collect(Collectors.joining(", "));
  }
}
