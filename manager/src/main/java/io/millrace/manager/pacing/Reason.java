package io.millrace.manager.pacing;

import io.millrace.api.Pure;
import java.time.Duration;
import java.util.Locale;
import java.util.function.Supplier;

/**
 * Why a decision was made, put into words only when somebody reads it: a simulated year decides
 * millions of times. Two reasons are equal when their words are. Thread-safe when the words rest on
 * immutable values, as those of the policies do.
 */
@Pure
public final class Reason {
  private final Supplier<String> words;

  private Reason(Supplier<String> words) {
    this.words = words;
  }

  public static Reason of(Supplier<String> words) {
    return new Reason(words);
  }

  public static Reason of(String words) {
    return new Reason(() -> words);
  }

  public String text() {
    return words.get();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Reason reason && text().equals(reason.text());
  }

  @Override
  public int hashCode() {
    return text().hashCode();
  }

  @Override
  public String toString() {
    return text();
  }

  /** Durations as fractional seconds, the unit of all rates of this package. */
  @Pure
  static final class Seconds {
    private Seconds() {}

    static double of(Duration duration) {
      return duration.getSeconds() + duration.getNano() / 1e9;
    }
  }

  /** Figures as they appear in the reasons that operators read. */
  @Pure
  static final class Wording {
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
}
