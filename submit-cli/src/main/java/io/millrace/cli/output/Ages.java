package io.millrace.cli.output;

import java.time.Duration;
import java.time.Instant;
import java.util.Locale;

/** Formats times: ages in one unit, durations in one or two. */
public final class Ages {
  private Ages() {}

  /** How long ago; a dash for null; a moment in the future (clocks differ) counts as now. */
  public static String since(Instant then, Instant now) {
    return then == null ? "-" : age(Duration.between(then, now));
  }

  /** {@code 12s}, {@code 3m}, {@code 5h}, {@code 2d}. */
  public static String age(Duration age) {
    long seconds = Math.max(0, age.toSeconds());
    if (seconds < 60) {
      return seconds + "s";
    }
    if (seconds < 3600) {
      return seconds / 60 + "m";
    }
    return seconds < 86_400 ? seconds / 3600 + "h" : seconds / 86_400 + "d";
  }

  /** {@code 40ms}, {@code 1.2s}, {@code 3m07s}, {@code 5h12m}; a dash when an end is missing. */
  public static String between(Instant start, Instant end) {
    return start == null || end == null ? "-" : took(Duration.between(start, end));
  }

  /** As {@link #between}, for seconds. */
  public static String took(double seconds) {
    return took(Duration.ofMillis(Math.round(seconds * 1000)));
  }

  /** As {@link #between}, for a duration. */
  public static String took(Duration duration) {
    long millis = Math.max(0, duration.toMillis());
    if (millis < 1000) {
      return millis + "ms";
    }
    if (millis < 60_000) {
      return String.format(Locale.ROOT, "%.1fs", millis / 1000.0);
    }
    long minutes = millis / 60_000;
    return minutes < 60
        ? String.format(Locale.ROOT, "%dm%02ds", minutes, millis / 1000 % 60)
        : String.format(Locale.ROOT, "%dh%02dm", minutes / 60, minutes % 60);
  }
}
