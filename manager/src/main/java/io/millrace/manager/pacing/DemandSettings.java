package io.millrace.manager.pacing;

import java.time.Duration;

/**
 * Settings of the {@code demand} policy.
 *
 * @param waitTarget how long an event may wait for its worker; a worker that is not full starts
 *     when the oldest event would miss it otherwise
 * @param intake when workers take their events
 * @param lookAhead 0..1: how much of the time in which workers of {@link Intake#WHILE_RUNNING} take
 *     events is planned ahead; lower means fewer runs and longer waits
 * @param smoothing time constant of the measured arrival rate
 * @param horizon the farthest that arrivals are extrapolated, so that a start latency that grows in
 *     an overload does not call for ever more workers (H-215)
 */
public record DemandSettings(
    Duration waitTarget, Intake intake, double lookAhead, Duration smoothing, Duration horizon) {

  /** When a worker takes the events of its batch. */
  public enum Intake {
    /** All at once when it starts. */
    AT_START,
    /** One after the other while it runs, leaving when none waits. */
    WHILE_RUNNING
  }

  public DemandSettings {
    Positive.check("waitTarget", waitTarget);
    Positive.check("smoothing", smoothing);
    Positive.check("horizon", horizon);
    if (!(lookAhead >= 0 && lookAhead <= 1)) {
      throw new IllegalArgumentException("lookAhead must be from 0 to 1, not " + lookAhead);
    }
  }

  public static DemandSettings defaults() {
    return new DemandSettings(
        Duration.ofSeconds(5),
        Intake.AT_START,
        1.0,
        Duration.ofSeconds(10),
        Duration.ofSeconds(30));
  }

  public DemandSettings withWaitTarget(Duration newWaitTarget) {
    return new DemandSettings(newWaitTarget, intake, lookAhead, smoothing, horizon);
  }

  public DemandSettings withIntake(Intake newIntake) {
    return new DemandSettings(waitTarget, newIntake, lookAhead, smoothing, horizon);
  }
}
