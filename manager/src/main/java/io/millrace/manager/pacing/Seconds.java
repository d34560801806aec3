package io.millrace.manager.pacing;

import io.millrace.api.Pure;
import java.time.Duration;

/** Durations as fractional seconds, the unit of all rates of this package. */
@Pure
final class Seconds {
  private Seconds() {}

  static double of(Duration duration) {
    return duration.getSeconds() + duration.getNano() / 1e9;
  }
}
