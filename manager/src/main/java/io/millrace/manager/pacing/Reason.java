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
  /** What is said of the figures. */
  @Pure
  public enum ReasonKind {
    /** The segment or the workers could not be read. */
    NO_FIGURES,
    /** Operators have paused consuming. */
    PAUSED,
    /** Workers for events that no outstanding worker will take. */
    WORTH_STARTING,
    /** Workers so that enough are lingering. */
    LINGERING,
    /** No event is waiting. */
    NOTHING_WAITING,
    /** Submitted workers will take the events. */
    ABOUT_TO_START,
    /** Running workers will take the events. */
    TAKEN_SOON,
    /** One worker, because the oldest event would miss the wait target. */
    TARGET_MISSED,
    /** None, because the oldest event is within the wait target. */
    TARGET_KEPT,
    /** The published rule between two evaluations. */
    RATE_BETWEEN,
    /** The published rule raised its rate. */
    RATE_RAISED,
    /** The published rule lowered its rate. */
    RATE_LOWERED,
    /** The published rule evaluated and kept its rate. */
    RATE_KEPT,
    /** Workers for sessions. */
    SESSIONS,
    /** Of policies that are only simulated. */
    SIMULATED
  }

  private final ReasonKind kind;
  private final Supplier<String> text;

  private Reason(ReasonKind kind, Supplier<String> text) {
    this.kind = kind;
    this.text = text;
  }

  static Reason of(ReasonKind kind, Supplier<String> text) {
    return new Reason(kind, text);
  }

  /** Of a policy that is only simulated. */
  public static Reason of(Supplier<String> text) {
    return new Reason(ReasonKind.SIMULATED, text);
  }

  /** Of a policy that is only simulated. */
  public static Reason of(String text) {
    return of(() -> text);
  }

  /** What it says of the figures. */
  public ReasonKind kind() {
    return kind;
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
