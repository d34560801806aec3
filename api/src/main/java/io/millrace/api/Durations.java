package io.millrace.api;

import java.math.BigDecimal;
import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Durations as {@code 500ms}, {@code 10s}, {@code 1h30m} or ISO-8601 ({@code PT10S}). */
public final class Durations {
  private static final Pattern PART = Pattern.compile("(\\d{1,12})(ms|s|m|h|d)");
  private static final Pattern WHOLE = Pattern.compile("(?:\\d{1,12}(?:ms|s|m|h|d))+");

  /** A longer one is a mistake in its unit, and times that far away cannot be stored. */
  public static final Duration LONGEST = Duration.ofDays(3_650);

  private Durations() {}

  /**
   * Reads a duration that somebody has written.
   *
   * @throws IllegalArgumentException if the text has none of the accepted forms, which the message
   *     lists, or is longer than {@link #LONGEST}
   */
  public static Duration parse(String text) {
    Duration duration = read(text);
    if (duration.compareTo(LONGEST) > 0 || duration.compareTo(LONGEST.negated()) < 0) {
      throw new IllegalArgumentException(
          "'" + text + "' is longer than 10 years (" + format(LONGEST) + "), the longest duration");
    }
    return duration;
  }

  /**
   * Reads a duration of any length, as servers have stored or sent it.
   *
   * @throws IllegalArgumentException if the text has none of the accepted forms, which the message
   *     lists
   */
  public static Duration read(String text) {
    String trimmed = text.strip();
    if (trimmed.equals("0")) {
      return Duration.ZERO;
    }
    try {
      return WHOLE.matcher(trimmed).matches() ? sum(trimmed) : Duration.parse(trimmed);
    } catch (DateTimeParseException | ArithmeticException e) {
      throw new IllegalArgumentException(
          "'" + text + "' is not a duration; write for instance 500ms, 10s, 5m, 1h30m or PT10S", e);
    }
  }

  private static Duration sum(String parts) {
    Duration sum = Duration.ZERO;
    Matcher part = PART.matcher(parts);
    while (part.find()) {
      sum = sum.plus(part(Long.parseLong(part.group(1)), part.group(2)));
    }
    return sum;
  }

  private static Duration part(long amount, String unit) {
    return switch (unit) {
      case "ms" -> Duration.ofMillis(amount);
      case "s" -> Duration.ofSeconds(amount);
      case "m" -> Duration.ofMinutes(amount);
      case "h" -> Duration.ofHours(amount);
      default -> Duration.ofDays(amount);
    };
  }

  /** Writes a duration in the form that {@link #parse} reads, to the millisecond. */
  public static String format(Duration duration) {
    if (duration.isNegative()) {
      return duration.toString();
    }
    if (duration.toMillis() == 0) {
      return "0s";
    }
    StringBuilder text = new StringBuilder();
    append(text, duration.toDays(), "d");
    append(text, duration.toHoursPart(), "h");
    append(text, duration.toMinutesPart(), "m");
    append(text, duration.toSecondsPart(), "s");
    append(text, duration.toMillisPart(), "ms");
    return text.toString();
  }

  private static void append(StringBuilder text, long amount, String unit) {
    if (amount > 0) {
      text.append(amount).append(unit);
    }
  }

  /** Seconds in the form that programs read most easily: {@code 60}, {@code 0.5}. */
  public static String inSeconds(Duration duration) {
    return BigDecimal.valueOf(duration.toMillis(), 3).stripTrailingZeros().toPlainString();
  }
}
