package io.millrace.api.queue;

import io.millrace.api.Durations;
import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Duration;

/**
 * How a queue's managers pace its workers; everything has a default.
 *
 * @param policy {@code demand} or {@code threshold}
 * @param tick time between decisions
 * @param waitTarget how long an event may wait (demand)
 * @param maxWorkers the most workers waiting and running, over all segments
 * @param upperLimit waiting events that count as a breach (threshold, H-172)
 * @param lowerLimit waiting events that count as an empty reading (threshold, H-172)
 * @param backlog waiting events above which burst workers are submitted (threshold, H-181)
 * @param maxStarting workers submitted but not started above which nothing is submitted (H-179)
 * @param maxPerNode the most workers of the queue on one execution node; 0 for no limit
 * @param maxEventsPerSecond events per second that workers are started for, over all segments by
 *     their weight; 0 for no limit
 * @param breaker when submitting stops because workers fail on every event
 * @param threshold further parameters of {@code threshold}; null for those of the publication
 */
@RecordBuilder
public record PacingDefinition(
    String policy,
    Duration tick,
    Duration waitTarget,
    int maxWorkers,
    int upperLimit,
    int lowerLimit,
    int backlog,
    int maxStarting,
    int maxPerNode,
    double maxEventsPerSecond,
    BreakerDefinition breaker,
    ThresholdDefinition threshold)
    implements PacingDefinitionBuilder.With {
  /** The defaults. */
  public static final PacingDefinition DEFAULT =
      new PacingDefinition(null, null, null, 0, 0, 0, 0, 0);

  public PacingDefinition {
    policy = policy == null ? "demand" : policy;
    require(
        policy.equals("demand") || policy.equals("threshold"),
        "pacing.policy must be demand or threshold, not '" + policy + "'");
    tick = tick == null ? Duration.ofSeconds(5) : tick;
    require(tick.compareTo(Duration.ofMillis(100)) >= 0, "pacing.tick must be at least 100ms");
    waitTarget = waitTarget == null ? Duration.ofSeconds(5) : waitTarget;
    maxWorkers = maxWorkers == 0 ? 100 : maxWorkers;
    upperLimit = upperLimit == 0 ? 250 : upperLimit;
    backlog = backlog == 0 ? upperLimit : backlog;
    maxStarting = maxStarting == 0 ? 20 : maxStarting;
    requireNotNegative("maxWorkers", maxWorkers);
    requireNotNegative("upperLimit", upperLimit);
    requireNotNegative("lowerLimit", lowerLimit);
    requireNotNegative("backlog", backlog);
    requireNotNegative("maxStarting", maxStarting);
    require(
        lowerLimit < upperLimit,
        "pacing.lowerLimit must be below upperLimit, not " + lowerLimit + " of " + upperLimit);
    require(
        maxPerNode >= 0,
        "pacing.maxPerNode must be a number of workers on one execution node, or 0 for no limit");
    require(
        maxEventsPerSecond >= 0 && Double.isFinite(maxEventsPerSecond),
        "pacing.maxEventsPerSecond must be events per second, or 0 for no limit");
    breaker = breaker == null ? BreakerDefinition.DEFAULT : breaker;
    require(
        threshold == null || policy.equals("threshold"),
        "pacing.threshold applies to policy threshold only, not to " + policy);
    if (threshold != null) {
      threshold.check(tick);
    }
  }

  /** Without limits per node and of events, and with the default breaker. */
  public PacingDefinition(
      String policy,
      Duration tick,
      Duration waitTarget,
      int maxWorkers,
      int upperLimit,
      int lowerLimit,
      int backlog,
      int maxStarting) {
    this(
        policy,
        tick,
        waitTarget,
        maxWorkers,
        upperLimit,
        lowerLimit,
        backlog,
        maxStarting,
        0,
        0,
        null,
        null);
  }

  /** The parameters of {@code threshold} in force. */
  public ThresholdDefinition thresholdInForce() {
    return threshold == null ? ThresholdDefinition.DEFAULT : threshold;
  }

  /** The same with what an operator has overridden; null keeps what is defined. */
  public PacingDefinition overridden(Integer otherMaxWorkers, Duration otherWaitTarget) {
    return with(
        copy ->
            copy.waitTarget(otherWaitTarget == null ? waitTarget : otherWaitTarget)
                .maxWorkers(otherMaxWorkers == null ? maxWorkers : otherMaxWorkers));
  }

  private static void requireNotNegative(String key, int number) {
    require(number >= 0, "pacing.%s must not be negative, it is %d".formatted(key, number));
  }

  private static void require(boolean kept, String rule) {
    if (!kept) {
      throw new MillraceException(ErrorCode.INVALID_DEFINITION, rule);
    }
  }

  /**
   * The parameters of the published rule beside its limits (H-171 to H-177).
   *
   * @param raise share by which the rate rises per successive reading above the upper limit; 0 for
   *     0.2
   * @param lower share by which the rate falls; 0 for 0.1
   * @param emptyReadings the rate falls when more readings than this found the queue empty; null
   *     for 4
   * @param readEvery time between two readings of the queue length; null for two ticks
   * @param evaluateEvery time between two changes of the rate; null for twelve ticks
   * @param initialRate workers per second of a queue that never had a rate; 0 for 1
   * @param minimumRate workers per second below which the rate never falls; 0 for 0.02
   */
  public record ThresholdDefinition(
      double raise,
      double lower,
      Integer emptyReadings,
      Duration readEvery,
      Duration evaluateEvery,
      double initialRate,
      double minimumRate) {
    /** As published. */
    public static final ThresholdDefinition DEFAULT =
        new ThresholdDefinition(0, 0, null, null, null, 0, 0);

    private static final int READ_TICKS = 2;
    private static final int EVALUATION_TICKS = 12;

    public ThresholdDefinition {
      raise = raise == 0 ? 0.2 : raise;
      lower = lower == 0 ? 0.1 : lower;
      emptyReadings = emptyReadings == null ? 4 : emptyReadings;
      initialRate = initialRate == 0 ? 1 : initialRate;
      minimumRate = minimumRate == 0 ? 0.02 : minimumRate;
      require(raise > 0 && raise <= 10, "pacing.threshold.raise must be above 0 and at most 10");
      require(lower > 0 && lower < 1, "pacing.threshold.lower must be above 0 and below 1");
      require(emptyReadings >= 0, "pacing.threshold.emptyReadings must not be negative");
      require(
          minimumRate > 0 && minimumRate <= initialRate && Double.isFinite(initialRate),
          "pacing.threshold.minimumRate must be above 0 and at most initialRate, not %s of %s"
              .formatted(minimumRate, initialRate));
    }

    /** Time between two readings of the queue length. */
    public Duration readEvery(Duration tick) {
      return readEvery == null ? tick.multipliedBy(READ_TICKS) : readEvery;
    }

    /** Time between two changes of the rate. */
    public Duration evaluateEvery(Duration tick) {
      return evaluateEvery == null ? tick.multipliedBy(EVALUATION_TICKS) : evaluateEvery;
    }

    private void check(Duration tick) {
      Duration reading = readEvery(tick);
      Duration evaluation = evaluateEvery(tick);
      require(
          reading.compareTo(tick) >= 0,
          "pacing.threshold.readEvery must be at least the tick " + Durations.format(tick));
      require(
          evaluation.compareTo(reading) >= 0,
          "pacing.threshold.evaluateEvery must be at least readEvery " + Durations.format(reading));
      long readings = evaluation.dividedBy(reading);
      require(
          emptyReadings < readings,
          "pacing.threshold.emptyReadings must be below the %d readings of an evaluation, not %d"
              .formatted(readings, emptyReadings));
    }

    private static void require(boolean kept, String rule) {
      if (!kept) {
        throw new MillraceException(ErrorCode.INVALID_DEFINITION, rule);
      }
    }
  }

  /**
   * When a queue's workers are considered broken, for instance after a bad deployment: only
   * occasional probes are submitted until probes succeed.
   *
   * @param runs how many of the last runs are considered; 0 for 20
   * @param share of them that must have failed, on distinct events; 0 for a half
   * @param probeEvery time between two probes; null for a minute
   * @param probes how many must succeed in a row succeed in a row; 0 for 3
   * @param off whether the breaker is disabled
   */
  public record BreakerDefinition(
      int runs, double share, Duration probeEvery, int probes, boolean off) {
    /** The defaults. */
    public static final BreakerDefinition DEFAULT = new BreakerDefinition(0, 0, null, 0, false);

    public BreakerDefinition {
      runs = runs == 0 ? 20 : runs;
      share = share == 0 ? 0.5 : share;
      probeEvery = probeEvery == null ? Duration.ofMinutes(1) : probeEvery;
      probes = probes == 0 ? 3 : probes;
      require(runs >= 2 && runs <= 1000, "pacing.breaker.runs must be from 2 to 1000");
      require(share > 0 && share <= 1, "pacing.breaker.share must be above 0 and at most 1");
      require(
          probeEvery.compareTo(Duration.ofSeconds(1)) >= 0,
          "pacing.breaker.probeEvery must be at least 1s");
      require(probes > 0 && probes <= 100, "pacing.breaker.probes must be from 1 to 100");
    }

    /** How many of the runs must have failed. */
    public int failures() {
      return (int) Math.max(1, Math.ceil(runs * share));
    }

    private static void require(boolean kept, String rule) {
      if (!kept) {
        throw new MillraceException(ErrorCode.INVALID_DEFINITION, rule);
      }
    }
  }
}
