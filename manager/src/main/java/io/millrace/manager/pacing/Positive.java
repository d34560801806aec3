package io.millrace.manager.pacing;

import io.millrace.api.Pure;
import java.time.Duration;

/** Checks of settings that name the setting and what it must be. */
@Pure
final class Positive {
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
