package io.millrace.manager.node;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Tells steps of clocks from their drift: how far a clock is from a steady one may change slowly,
 * and one odd reading may be a slow answer. Pure but for the memory of the last readings; not
 * thread-safe.
 */
final class StepDetector {
  private record Baseline(Duration skew, boolean doubted) {}

  private final Duration least;
  private final Map<String, Baseline> baselines = new HashMap<>();

  /**
   * A detector without readings.
   *
   * @param least the smallest step worth telling
   */
  StepDetector(Duration least) {
    this.least = least;
  }

  /**
   * Notes a reading.
   *
   * @param source whose clock
   * @param skew from a clock that never steps
   * @return the step, once two readings in a row show it
   */
  Optional<Duration> read(String source, Duration skew) {
    Baseline before = baselines.get(source);
    if (before == null) {
      baselines.put(source, new Baseline(skew, false));
      return Optional.empty();
    }
    Duration step = skew.minus(before.skew());
    if (step.abs().compareTo(least) < 0) {
      baselines.put(source, new Baseline(skew, false));
      return Optional.empty();
    }
    if (!before.doubted()) {
      baselines.put(source, new Baseline(before.skew(), true));
      return Optional.empty();
    }
    baselines.put(source, new Baseline(skew, false));
    return Optional.of(step);
  }
}
