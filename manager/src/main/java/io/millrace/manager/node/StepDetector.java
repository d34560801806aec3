package io.millrace.manager.node;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Distinguishes steps of clocks from drift, which is slow, and from single odd readings, which may
 * be slow answers. Remembers the last readings, and is pure otherwise; not thread-safe.
 */
final class StepDetector {
  private record Baseline(Duration skew, boolean suspicious) {}

  private final Duration min;
  private final Map<String, Baseline> baselines = new HashMap<>();

  /**
   * Creates a detector without readings.
   *
   * @param min the smallest step that is reported
   */
  StepDetector(Duration min) {
    this.min = min;
  }

  /**
   * Records a reading.
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
    if (step.abs().compareTo(min) < 0) {
      baselines.put(source, new Baseline(skew, false));
      return Optional.empty();
    }
    if (!before.suspicious()) {
      baselines.put(source, new Baseline(before.skew(), true));
      return Optional.empty();
    }
    baselines.put(source, new Baseline(skew, false));
    return Optional.of(step);
  }
}
