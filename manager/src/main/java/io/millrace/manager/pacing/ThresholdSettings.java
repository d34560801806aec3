package io.millrace.manager.pacing;

import io.millrace.api.Pure;
import java.time.Duration;

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
    double minimumRate) {
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

  /** The reading of the published rule that reproduces its tables best. */
  public static ThresholdSettings defaults() {
    return new ThresholdSettings(
        500, 0, 0.20, 0.10, 4, Duration.ofSeconds(10), Duration.ofSeconds(60), 500, 1.0, 0.02);
  }

  /** The same with another upper limit, which is the backlog threshold as well. */
  public ThresholdSettings withUpperLimit(long newUpperLimit) {
    return new ThresholdSettings(
        newUpperLimit,
        lowerLimit,
        raise,
        lower,
        emptyReadings,
        readEvery,
        evaluateEvery,
        newUpperLimit,
        initialRate,
        minimumRate);
  }

  /** The same with other intervals, for ticks much shorter than published. */
  public ThresholdSettings withIntervals(Duration newReadEvery, Duration newEvaluateEvery) {
    return new ThresholdSettings(
        upperLimit,
        lowerLimit,
        raise,
        lower,
        emptyReadings,
        newReadEvery,
        newEvaluateEvery,
        backlogThreshold,
        initialRate,
        minimumRate);
  }
}
