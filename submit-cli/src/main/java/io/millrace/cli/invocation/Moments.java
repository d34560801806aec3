package io.millrace.cli.invocation;

import io.millrace.api.Durations;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;

/** Moments as {@code +10m} (from now on), {@code 2026-03-01T12:00:00Z} or with an offset. Pure. */
final class Moments {
  private Moments() {}

  /**
   * Reads a moment.
   *
   * @throws IllegalArgumentException with the accepted forms when the text is none of them
   */
  static Instant parse(String text, Instant now) {
    String trimmed = text.strip();
    try {
      return trimmed.startsWith("+")
          ? now.plus(Durations.parse(trimmed.substring(1)))
          : OffsetDateTime.parse(trimmed).toInstant();
    } catch (DateTimeException | IllegalArgumentException | ArithmeticException e) {
      throw new IllegalArgumentException(
          "'"
              + text
              + "' is no moment; write for instance +10m, 2026-03-01T12:00:00Z or"
              + " 2026-03-01T12:00:00+01:00",
          e);
    }
  }
}
