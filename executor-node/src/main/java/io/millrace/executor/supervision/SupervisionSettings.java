package io.millrace.executor.supervision;

import java.time.Duration;

/**
 * How closely processes are watched.
 *
 * @param pollInterval how often re-attached and dying processes are looked at
 * @param killBound how long killed processes may take to go before they count as unkillable
 */
public record SupervisionSettings(Duration pollInterval, Duration killBound) {
  public SupervisionSettings {
    if (pollInterval.isNegative() || pollInterval.isZero() || killBound.isNegative()) {
      throw new IllegalArgumentException(
          "poll interval "
              + pollInterval
              + " must be above 0, kill bound "
              + killBound
              + " not below");
    }
  }

  /** Every 100 ms; 30 s for a killed process to go. */
  public static SupervisionSettings defaults() {
    return new SupervisionSettings(Duration.ofMillis(100), Duration.ofSeconds(30));
  }
}
