package io.millrace.manager.pacing;

import io.millrace.api.Pure;
import java.time.Duration;
import java.util.Locale;
import java.util.function.Supplier;

/**
 * Why a decision was made, formatted only when it is read: a simulated year makes millions of
 * decisions. Two reasons are equal when their texts are. Thread-safe if the text is made from
 * immutable values, as in the policies.
 */
@Pure
public final class Reason {
  private final Supplier<String> text;

  private Reason(Supplier<String> text) {
    this.text = text;
  }

  public static Reason of(Supplier<String> text) {
    return new Reason(text);
  }

  public static Reason of(String text) {
    return new Reason(() -> text);
  }

  public String text() {
    return text.get();
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

  /** Formats figures in the reasons that operators read. */
  @Pure
  static final class ReasonFigures {
    private ReasonFigures() {}

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
