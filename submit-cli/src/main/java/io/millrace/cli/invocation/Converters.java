package io.millrace.cli.invocation;

import io.millrace.api.DataSize;
import io.millrace.api.Durations;
import io.millrace.api.MillraceException;
import io.millrace.api.job.ArrayRange;
import io.millrace.api.job.FailureKind;
import io.millrace.platform.clock.Clock;
import java.net.URI;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.function.Function;
import picocli.CommandLine;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads the words of options; what can't be read is told with the forms that can. */
public final class Converters {
  private Converters() {}

  /** Gives a command and those below it the converters; the clock is that of {@code +10m}. */
  public static CommandLine register(CommandLine command, Clock clock) {
    return command
        .registerConverter(Duration.class, telling(Durations::parse))
        .registerConverter(Instant.class, telling(text -> Moments.parse(text, clock.now())))
        .registerConverter(URI.class, telling(Targeting::url))
        .registerConverter(DataSize.class, telling(DataSize::parse))
        .registerConverter(ArrayRange.class, telling(ArrayRange::parse))
        .registerConverter(FailureKind.class, telling(FailureKind::parse))
        .registerConverter(JobReference.class, telling(JobReference::parse))
        .registerConverter(Integer.class, whole(Integer::valueOf))
        .registerConverter(int.class, whole(Integer::valueOf))
        .registerConverter(Long.class, whole(Long::valueOf))
        .registerConverter(long.class, whole(Long::valueOf))
        .registerConverter(Double.class, number())
        .registerConverter(double.class, number());
  }

  private static <T> ITypeConverter<T> telling(Function<String, T> reader) {
    return text -> {
      try {
        return reader.apply(text);
      } catch (IllegalArgumentException | ArithmeticException | MillraceException e) {
        throw new TypeConversionException(e.getMessage());
      }
    };
  }

  private static <T> ITypeConverter<T> whole(Function<String, T> reader) {
    return numeric(reader, "is no whole number; write for instance 3");
  }

  private static ITypeConverter<Double> number() {
    return numeric(Double::valueOf, "is no number; write for instance 2 or 0.5");
  }

  private static <T> ITypeConverter<T> numeric(Function<String, T> reader, String fix) {
    return text -> {
      try {
        return reader.apply(text.strip());
      } catch (NumberFormatException e) {
        throw new TypeConversionException("'" + text + "' " + fix);
      }
    };
  }

  /**
   * Moments as {@code +10m} (from now on), {@code 2026-03-01T12:00:00Z} or with an offset. Pure.
   */
  private static final class Moments {
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
}
