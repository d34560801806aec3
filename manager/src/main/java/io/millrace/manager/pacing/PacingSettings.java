package io.millrace.manager.pacing;

import io.millrace.api.Pure;
import io.millrace.manager.pacing.Reason.Seconds;
import java.time.Duration;

/**
 * How one queue is paced.
 *
 * @param policy name of the policy, see {@link PacingPolicy#named}
 * @param eventsPerWorker events that one run takes at most (the batch)
 * @param tick planned time between two decisions; 5 s as published (H-171)
 * @param history how far back readings and completions are looked at; 60 s as published (H-171). A
 *     longer gap between two readings measures nothing
 * @param threshold settings of the published rule
 * @param demand settings of the default rule
 * @param limits caps that hold whatever the policy wants
 */
@Pure
public record PacingSettings(
    String policy,
    int eventsPerWorker,
    Duration tick,
    Duration history,
    ThresholdSettings threshold,
    DemandSettings demand,
    PacingLimits limits) {
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

  public PacingSettings withPolicy(String newPolicy) {
    return new PacingSettings(newPolicy, eventsPerWorker, tick, history, threshold, demand, limits);
  }

  public PacingSettings withTick(Duration newTick) {
    return new PacingSettings(policy, eventsPerWorker, newTick, history, threshold, demand, limits);
  }

  public PacingSettings withThreshold(ThresholdSettings newThreshold) {
    return new PacingSettings(policy, eventsPerWorker, tick, history, newThreshold, demand, limits);
  }

  public PacingSettings withDemand(DemandSettings newDemand) {
    return new PacingSettings(policy, eventsPerWorker, tick, history, threshold, newDemand, limits);
  }

  public PacingSettings withLimits(PacingLimits newLimits) {
    return new PacingSettings(policy, eventsPerWorker, tick, history, threshold, demand, newLimits);
  }

  /** The longest interval over which counters are compared. */
  double longestGapSeconds() {
    return Math.max(Seconds.of(history), 3 * Seconds.of(tick));
  }
}
