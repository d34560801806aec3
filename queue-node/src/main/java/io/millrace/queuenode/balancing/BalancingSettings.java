package io.millrace.queuenode.balancing;

import io.millrace.api.Pure;
import io.millrace.api.queue.QueueWeights;
import io.millrace.queuenode.load.LoadSettings;
import java.time.Duration;
import java.util.Comparator;
import java.util.stream.Stream;

/**
 * The settings of the policies.
 *
 * @param limits limits of load
 * @param pace limits of the speed of moves
 * @param random how often the published policies decide
 */
@Pure
public record BalancingSettings(LoadLimits limits, MovePace pace, RandomPace random) {
  /** Settings that fit the thresholds and the smoothing of node loads. */
  public static BalancingSettings of(LoadSettings load) {
    return new BalancingSettings(
        LoadLimits.of(load), MovePace.of(load.newShare()), RandomPace.published());
  }

  /** The same with another pace. */
  public BalancingSettings with(MovePace other) {
    return new BalancingSettings(limits, other, random);
  }

  /** The same with another pace of the published policies. */
  public BalancingSettings with(RandomPace other) {
    return new BalancingSettings(limits, pace, other);
  }

  /**
   * Limits of load, each 0 to 1 of a node's capacity.
   *
   * @param tooBusyEnter load from which a node is TOOBUSY, for messages
   * @param tooBusyLeave load below which it leaves TOOBUSY, for messages
   * @param shedTo what an overloaded node keeps: a little below tooBusyLeave, so that it leaves
   *     TOOBUSY
   * @param ceiling the most that a receiver is filled to, however loaded the cluster: far enough
   *     below tooBusyEnter not to become the next giver
   * @param scaleInTo the most that receivers of an emptied node reach: below the BUSY threshold, so
   *     that scaling in never permits scaling out
   * @param aboveMean how far above the cluster's mean receivers are filled
   * @param minMove moves and excesses smaller than this do not matter
   */
  @Pure
  public record LoadLimits(
      double tooBusyEnter,
      double tooBusyLeave,
      double shedTo,
      double ceiling,
      double scaleInTo,
      double aboveMean,
      double minMove) {
    /** Limits that fit the thresholds of states. */
    public static LoadLimits of(LoadSettings load) {
      return new LoadLimits(
          load.tooBusyEnter(),
          load.tooBusyLeave(),
          load.tooBusyLeave() - 0.03,
          Math.max(load.tooBusyEnter() - 0.10, load.tooBusyLeave() - 0.03),
          Math.min(load.busyLeave(), load.busyEnter() - 0.05),
          0.04,
          0.02);
    }

    /** The load that a receiver is filled to at this mean load of the cluster. */
    double forMean(double mean) {
      return Math.min(ceiling, Math.max(shedTo, mean + aboveMean));
    }
  }

  /**
   * Limits of the speed of moves.
   *
   * @param ticksOver decisions in a row that see too much load before load is shed
   * @param minWeight points below which a segment is not split (H-123)
   * @param movesAtOnce moves of one decision to shed load
   * @param reverseBan how long a queue's points may not move back
   * @param budgetShare part of all points that one node may shed within {@code budgetSpan}
   * @param minBudget points that a node may shed in a small cluster
   * @param budgetSpan the period of the budget
   * @param quiet time without any change of weights before a node may be emptied to scale in
   * @param visibleAfter time from a change of weights until the loads begin to show it
   * @param newShare of one second's sample in the smoothed loads, α of H-114: how fast they show it
   * @param shortageAgain how long the same shortage is not recorded again
   * @param confirmationTimeout how long a decision waits for its change to become visible before it
   *     is abandoned
   */
  @Pure
  public record MovePace(
      int ticksOver,
      int minWeight,
      int movesAtOnce,
      Duration reverseBan,
      double budgetShare,
      int minBudget,
      Duration budgetSpan,
      Duration quiet,
      Duration visibleAfter,
      double newShare,
      Duration shortageAgain,
      Duration confirmationTimeout) {
    /** How long a node that has given points away is not filled above its shedding target. */
    private static final Duration REST = Duration.ofMinutes(15);

    /** The pace for loads that are smoothed with this share of the newest sample per second. */
    public static MovePace of(double newShare) {
      return new MovePace(
          2,
          5,
          8,
          Duration.ofMinutes(3),
          0.10,
          1000,
          Duration.ofMinutes(5),
          Duration.ofMinutes(2),
          Duration.ofSeconds(3),
          newShare,
          Duration.ofMinutes(1),
          Duration.ofSeconds(15));
    }

    /** Points that one node may shed within the budget's span with that many queues. */
    int budget(int queues) {
      return (int) Math.max(minBudget, budgetShare * queues * QueueWeights.TOTAL);
    }

    Duration rest() {
      return REST;
    }

    /** How long changes of weight rows are remembered. */
    Duration memory() {
      return Stream.of(REST, reverseBan, budgetSpan).max(Comparator.naturalOrder()).orElseThrow();
    }

    /** The part of the moved load that does not appear in the smoothed loads yet. */
    double invisible(long ageNanos) {
      double seconds = (ageNanos - visibleAfter.toNanos()) / 1e9;
      return seconds <= 0 ? 1 : Math.pow(1 - newShare, seconds);
    }
  }

  /**
   * How often the published policies decide.
   *
   * @param interval between two selections of one node; 15 minutes as published (H-117)
   * @param scaleInChance that a node tries to empty itself at a selection (H-069; no figure is
   *     published)
   */
  @Pure
  public record RandomPace(Duration interval, double scaleInChance) {
    /** As published. */
    public static RandomPace published() {
      return new RandomPace(Duration.ofMinutes(15), 0.25);
    }
  }
}
