package io.millrace.simulator.pacing;

import java.time.Duration;

/** Durations in steps of the virtual clock. */
final class Steps {
  private Steps() {}

  static double seconds(Duration duration) {
    return duration.getSeconds() + duration.getNano() / 1e9;
  }

  static double exact(Duration duration, double stepSeconds) {
    return seconds(duration) / stepSeconds;
  }

  static Duration duration(double seconds) {
    return Duration.ofNanos(Math.round(seconds * 1e9));
  }
}
