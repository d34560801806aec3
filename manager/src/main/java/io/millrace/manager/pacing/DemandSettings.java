package io.millrace.manager.pacing;

import io.millrace.api.Pure;
import java.time.Duration;

/**
 * Settings of the {@code demand} policy.
 *
 * @param waitTarget how long an event may wait for its worker: one that is not full starts when the
 *     oldest event would miss it otherwise
 * @param patience how much waiting a run is worth, as the time in which a batch must fill for only
 *     full workers to start; shorter means more runs and shorter waits, see {@link StartCostModel}
 * @param intake when workers take their events
 * @param lookAhead 0..1: how much of the time in which workers of {@link Intake#WHILE_RUNNING} take
 *     events is planned ahead; lower means fewer runs and longer waits
 * @param smoothing time constant of the measured arrival rate at one event a second; it falls with
 *     the square root of the rate
 * @param horizon the farthest that arrivals are extrapolated, so that a start latency that grows in
 *     an overload does not call for ever more workers (H-215)
 * @param linger how long a worker of {@link Intake#WHILE_RUNNING} waits for a further event before
 *     it leaves; zero when it leaves at once
 * @param reserve workers that stay beyond the mean need of lingering ones, in square roots of that
 *     need (square-root staffing)
 */
@Pure
public record DemandSettings(
    Duration waitTarget,
    Duration patience,
    Intake intake,
    double lookAhead,
    Duration smoothing,
    Duration horizon,
    Duration linger,
    double reserve) {

  private static final Duration WAIT_TARGET = Duration.ofSeconds(5);

  /**
   * Tenths of the wait target in its patience. A batch that fills in F starts every √(F ·
   * patience); with three, that lies between full batches at three tenths of the target and the
   * target itself at its 3.3-fold.
   */
  private static final int TENTHS = 3;

  /** When a worker takes the events of its batch. */
  public enum Intake {
    /** All at once when it starts. */
    AT_START,
    /** Again and again while it runs, leaving when none came for the time that it lingers. */
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

  /** Wait target 5 s, and the patience that goes with it. */
  public static DemandSettings defaults() {
    return new DemandSettings(
        WAIT_TARGET,
        patience(WAIT_TARGET),
        Intake.AT_START,
        1.0,
        Duration.ofSeconds(10),
        Duration.ofSeconds(30),
        Duration.ZERO,
        1.0);
  }

  /** The same with another target and the patience that goes with it. */
  public DemandSettings withWaitTarget(Duration newWaitTarget) {
    return new DemandSettings(
        newWaitTarget,
        patience(newWaitTarget),
        intake,
        lookAhead,
        smoothing,
        horizon,
        linger,
        reserve);
  }

  public DemandSettings withIntake(Intake newIntake) {
    return new DemandSettings(
        waitTarget, patience, newIntake, lookAhead, smoothing, horizon, linger, reserve);
  }

  /** The same target with another patience. */
  public DemandSettings withPatience(Duration newPatience) {
    return new DemandSettings(
        waitTarget, newPatience, intake, lookAhead, smoothing, horizon, linger, reserve);
  }

  /** Workers that take events while they run and wait so long for further ones. */
  public DemandSettings withLinger(Duration newLinger) {
    return new DemandSettings(
        waitTarget,
        patience,
        Intake.WHILE_RUNNING,
        lookAhead,
        smoothing,
        horizon,
        newLinger,
        reserve);
  }

  private static Duration patience(Duration waitTarget) {
    return waitTarget.multipliedBy(TENTHS).dividedBy(10);
  }

  boolean lingers() {
    return intake == Intake.WHILE_RUNNING && !linger.isZero();
  }
}
