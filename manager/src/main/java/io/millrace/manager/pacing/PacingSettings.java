package io.millrace.manager.pacing;

import io.millrace.api.Pure;
import io.millrace.manager.pacing.Reason.Seconds;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Duration;

/**
 * How one queue is paced.
 *
 * @param policy name of the policy, see {@link PacingPolicy#named}
 * @param eventsPerWorker events that one run takes at most (the batch)
 * @param tick planned time between two decisions; 5 s as published (H-171)
 * @param history how far back readings and completions count; 60 s as published (H-171). A longer
 *     gap between two readings measures nothing
 * @param threshold settings of the published rule
 * @param demand settings of the default rule
 * @param limits caps that apply whatever the policy requests
 */
@Pure
@RecordBuilder
public record PacingSettings(
    String policy,
    int eventsPerWorker,
    Duration tick,
    Duration history,
    ThresholdSettings threshold,
    DemandSettings demand,
    PacingLimits limits)
    implements PacingSettingsBuilder.With {
  public PacingSettings {
    PacingPolicy.named(policy);
    Positive.check("eventsPerWorker", eventsPerWorker);
    Positive.check("tick", tick);
    Positive.check("history", history);
    if (threshold.readEvery().compareTo(history) > 0) {
      throw new IllegalArgumentException(
          "threshold.readEvery "
              + threshold.readEvery()
              + " is longer than the history "
              + history);
    }
  }

  /** The default policy with default settings. */
  public static PacingSettings ofBatch(int eventsPerWorker) {
    return new PacingSettings(
        DemandPolicy.NAME,
        eventsPerWorker,
        Duration.ofSeconds(5),
        Duration.ofSeconds(60),
        ThresholdSettings.defaults(),
        DemandSettings.defaults(),
        PacingLimits.defaults());
  }

  /** The longest interval over which counters are compared. */
  double longestGapSeconds() {
    return Math.max(Seconds.of(history), 3 * Seconds.of(tick));
  }

  /**
   * Caps that apply whatever a policy requests.
   *
   * @param maxWorkers workers of the queue outstanding in the whole cluster
   * @param maxNotStarted own workers that may wait for a slot at once: the overload prevention of
   *     H-179, whose threshold is not given (H-180)
   * @param maxStartsPerTick workers submitted by one decision
   */
  @Pure
  @RecordBuilder
  public record PacingLimits(int maxWorkers, int maxNotStarted, int maxStartsPerTick)
      implements PacingSettingsPacingLimitsBuilder.With {
    public PacingLimits {
      Positive.check("maxWorkers", maxWorkers);
      Positive.check("maxNotStarted", maxNotStarted);
      Positive.check("maxStartsPerTick", maxStartsPerTick);
    }

    public static PacingLimits defaults() {
      return new PacingLimits(100, 100, 100);
    }
  }

  /**
   * Settings of the {@code demand} policy.
   *
   * @param waitTarget how long an event may wait for its worker: a partly filled one starts when
   *     the oldest event would miss the target otherwise
   * @param patience how much waiting a run is worth, as the time within which a batch must fill for
   *     only full workers to start; shorter means more runs and shorter waits, see {@link
   *     StartCostModel}
   * @param pull when workers take their events
   * @param lookAhead 0..1: how much of the time in which workers of {@link EventPull#WHILE_RUNNING}
   *     take events is planned ahead; lower means fewer runs and longer waits
   * @param smoothing time constant of the measured arrival rate at one event a second; it falls
   *     with the square root of the rate
   * @param horizon how far arrivals are extrapolated at most, so that a start latency that grows
   *     under overload does not demand ever more workers (H-215)
   * @param linger how long a worker of {@link EventPull#WHILE_RUNNING} waits for a further event
   *     before it ends; zero when it ends at once
   * @param reserve lingering workers kept beyond the mean need, in square roots of that need
   *     (square-root staffing)
   */
  @Pure
  @RecordBuilder
  public record DemandSettings(
      Duration waitTarget,
      Duration patience,
      EventPull pull,
      double lookAhead,
      Duration smoothing,
      Duration horizon,
      Duration linger,
      double reserve)
      implements PacingSettingsDemandSettingsBuilder.With {

    private static final Duration WAIT_TARGET = Duration.ofSeconds(5);

    /**
     * The default patience in tenths of the wait target. A batch that fills in F starts every √(F ·
     * patience); with three, that lies between full batches at three tenths of the target and the
     * target itself at its 3.3-fold.
     */
    private static final int TENTHS = 3;

    /** When a worker takes the events of its batch. */
    public enum EventPull {
      /** All at once when it starts. */
      AT_START,
      /** Repeatedly while it runs; it ends when none arrived for the linger time. */
      WHILE_RUNNING
    }

    public DemandSettings {
      Positive.check("waitTarget", waitTarget);
      Positive.check("patience", patience);
      Positive.check("smoothing", smoothing);
      Positive.check("horizon", horizon);
      if (!(lookAhead >= 0 && lookAhead <= 1)) {
        throw new IllegalArgumentException("lookAhead must be from 0 to 1, not " + lookAhead);
      }
      if (linger.isNegative()) {
        throw new IllegalArgumentException("linger cannot be negative: " + linger);
      }
      if (!(reserve >= 0 && reserve <= 10)) {
        throw new IllegalArgumentException("reserve must be from 0 to 10, not " + reserve);
      }
    }

    /** Wait target 5 s, and the patience that follows from it. */
    public static DemandSettings defaults() {
      return new DemandSettings(
          WAIT_TARGET,
          patience(WAIT_TARGET),
          EventPull.AT_START,
          1.0,
          Duration.ofSeconds(10),
          Duration.ofSeconds(30),
          Duration.ZERO,
          1.0);
    }

    /** The same with another target and the patience that follows from it. */
    @Override
    public DemandSettings withWaitTarget(Duration newWaitTarget) {
      return with(copy -> copy.waitTarget(newWaitTarget).patience(patience(newWaitTarget)));
    }

    /** Workers that take events while they run and linger for further ones. */
    @Override
    public DemandSettings withLinger(Duration newLinger) {
      return with(copy -> copy.pull(EventPull.WHILE_RUNNING).linger(newLinger));
    }

    private static Duration patience(Duration waitTarget) {
      return waitTarget.multipliedBy(TENTHS).dividedBy(10);
    }

    boolean lingers() {
      return pull == EventPull.WHILE_RUNNING && !linger.isZero();
    }
  }

  /**
   * Settings of the {@code threshold} policy (H-171 to H-177, H-181).
   *
   * @param upperLimit a reading above it is a breach
   * @param lowerLimit a reading at or below it counts as empty
   * @param raise share by which the rate rises per successive breach
   * @param lower share by which the rate falls
   * @param emptyReadings the rate falls when more readings than this found the queue empty
   * @param readEvery time between two readings of the queue length
   * @param evaluateEvery time between two changes of the rate
   * @param backlogThreshold queue length above which an evaluation adds a burst of workers
   * @param initialRate workers per second of a queue that never had a rate
   * @param minimumRate the rate never falls below it: a multiplied rate cannot rise from zero
   */
  @Pure
  @RecordBuilder
  public record ThresholdSettings(
      long upperLimit,
      long lowerLimit,
      double raise,
      double lower,
      int emptyReadings,
      Duration readEvery,
      Duration evaluateEvery,
      long backlogThreshold,
      double initialRate,
      double minimumRate)
      implements PacingSettingsThresholdSettingsBuilder.With {
    public ThresholdSettings {
      Positive.check("upperLimit", upperLimit);
      Positive.check("readEvery", readEvery);
      Positive.check("evaluateEvery", evaluateEvery);
      Positive.check("backlogThreshold", backlogThreshold);
      Positive.checkFinite("raise", raise);
      Positive.checkFinite("lower", lower);
      Positive.checkFinite("initialRate", initialRate);
      Positive.checkFinite("minimumRate", minimumRate);
      if (lower >= 1) {
        throw new IllegalArgumentException("lower must be below 1, not " + lower);
      }
      if (emptyReadings < 0) {
        throw new IllegalArgumentException("emptyReadings cannot be negative: " + emptyReadings);
      }
      if (lowerLimit < 0 || lowerLimit >= upperLimit) {
        throw new IllegalArgumentException(
            "lowerLimit must be from 0 to below upperLimit, not " + lowerLimit);
      }
    }

    /** The interpretation of the published rule that reproduces its tables best. */
    public static ThresholdSettings defaults() {
      return new ThresholdSettings(
          500, 0, 0.20, 0.10, 4, Duration.ofSeconds(10), Duration.ofSeconds(60), 500, 1.0, 0.02);
    }

    /** The same with another upper limit, which is the backlog threshold as well. */
    @Override
    public ThresholdSettings withUpperLimit(long newUpperLimit) {
      return with(copy -> copy.upperLimit(newUpperLimit).backlogThreshold(newUpperLimit));
    }

    /** The same with other intervals, for ticks much shorter than published. */
    public ThresholdSettings withIntervals(Duration newReadEvery, Duration newEvaluateEvery) {
      return with(copy -> copy.readEvery(newReadEvery).evaluateEvery(newEvaluateEvery));
    }
  }

  /** Checks of settings; the messages name the setting. */
  @Pure
  private static final class Positive {
    private Positive() {}

    static void check(String setting, long value) {
      if (value < 1) {
        throw new IllegalArgumentException(setting + " must be at least 1, not " + value);
      }
    }

    static void check(String setting, Duration value) {
      if (value.isNegative() || value.isZero()) {
        throw new IllegalArgumentException(setting + " must be longer than zero, not " + value);
      }
    }

    static void checkFinite(String setting, double value) {
      if (!(value > 0) || Double.isInfinite(value)) {
        throw new IllegalArgumentException(setting + " must be above zero, not " + value);
      }
    }
  }
}
