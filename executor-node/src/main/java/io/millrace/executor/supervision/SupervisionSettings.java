package io.millrace.executor.supervision;

import io.millrace.api.DataSize;
import java.time.Duration;
import java.util.Optional;

/**
 * The settings of supervision.
 *
 * @param pollInterval interval at which re-attached and dying processes are checked
 * @param killBound time for killed processes to end before they are considered unkillable
 * @param sampleInterval interval at which usage is sampled; four times as often if a memory limit
 *     depends on it
 * @param logs how much of the outputs is kept
 * @param groups limit memory; without them it is sampled
 */
public record SupervisionSettings(
    Duration pollInterval,
    Duration killBound,
    Duration sampleInterval,
    LogLimits logs,
    Optional<ControlGroups> groups) {
  public SupervisionSettings {
    if (pollInterval.isNegative()
        || pollInterval.isZero()
        || killBound.isNegative()
        || sampleInterval.toMillis() < 1) {
      throw new IllegalArgumentException(
          "poll interval "
              + pollInterval
              + " and sample interval "
              + sampleInterval
              + " must be above 0, kill bound "
              + killBound
              + " not below");
    }
  }

  /** Every 100 ms; 30 s for a killed process to go; a sample a second. */
  public static SupervisionSettings defaults() {
    return new SupervisionSettings(Duration.ofMillis(100), Duration.ofSeconds(30));
  }

  /** The defaults for everything else. */
  public SupervisionSettings(Duration pollInterval, Duration killBound) {
    this(pollInterval, killBound, Duration.ofSeconds(1), LogLimits.defaults(), Optional.empty());
  }

  /** The same with other limits. */
  public SupervisionSettings with(LogLimits limits, Optional<ControlGroups> controlGroups) {
    return new SupervisionSettings(pollInterval, killBound, sampleInterval, limits, controlGroups);
  }

  /**
   * How much of each output of an attempt is kept; the part in between is dropped.
   *
   * @param head from its beginning
   * @param tail the newest part; temporarily up to a quarter more
   */
  public record LogLimits(DataSize head, DataSize tail) {
    /** 16 MB of each. */
    public static LogLimits defaults() {
      return new LogLimits(new DataSize(16L << 20), new DataSize(16L << 20));
    }
  }
}
