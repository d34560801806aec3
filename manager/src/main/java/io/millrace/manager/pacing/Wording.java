package io.millrace.manager.pacing;

import io.millrace.api.Pure;
import java.time.Duration;
import java.util.Locale;

/** Figures as they appear in the reasons that operators read. */
@Pure
final class Wording {
  private Wording() {}

  static String number(double value) {
    double rounded = Math.rint(value * 10) / 10;
    return rounded == Math.rint(rounded)
        ? String.format(Locale.ROOT, "%.0f", rounded)
        : String.format(Locale.ROOT, "%.1f", rounded);
  }

  static String rate(double perSecond) {
    return perSecond > 0 && perSecond < 0.1
        ? String.format(Locale.ROOT, "%.3f/s", perSecond)
        : number(perSecond) + "/s";
  }

  static String seconds(double seconds) {
    return number(seconds) + " s";
  }

  static String seconds(Duration duration) {
    return seconds(Seconds.of(duration));
  }

  static String count(long workers) {
    return workers == 1 ? "1 worker" : workers + " workers";
  }
}
