package io.millrace.cli.invocation;

import io.millrace.api.DataSize;
import io.millrace.api.Durations;
import io.millrace.api.MillraceException;
import io.millrace.api.WebAddress;
import io.millrace.api.job.ArrayRange;
import io.millrace.api.job.RetryPolicy.FailureKind;
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

/** Converts values of options; errors name the accepted forms. */
public final class Converters {
  private Converters() {}

  /** Registers the converters for a command and its subcommands; the clock is for {@code +10m}. */
  public static CommandLine register(CommandLine command, Clock clock) {
    return command
        .registerConverter(Duration.class, reporting(Durations::parse))
        .registerConverter(Instant.class, reporting(text -> Times.parse(text, clock.now())))
        .registerConverter(URI.class, reporting(WebAddress::ofServer))
        .registerConverter(DataSize.class, reporting(DataSize::parse))
        .registerConverter(ArrayRange.class, reporting(ArrayRange::parse))
        .registerConverter(FailureKind.class, reporting(FailureKind::parse))
        .registerConverter(JobReference.class, reporting(JobReference::parse))
        .registerConverter(Integer.class, integer(Integer::valueOf))
        .registerConverter(int.class, integer(Integer::valueOf))
        .registerConverter(Long.class, integer(Long::valueOf))
        .registerConverter(long.class, integer(Long::valueOf))
        .registerConverter(Double.class, number())
        .registerConverter(double.class, number());
  }

  private static <T> ITypeConverter<T> reporting(Function<String, T> reader) {
    return text -> {
      try {
        return reader.apply(text);
      } catch (IllegalArgumentException | ArithmeticException | MillraceException e) {
        throw new TypeConversionException(e.getMessage());
      }
    };
  }

  private static <T> ITypeConverter<T> integer(Function<String, T> reader) {
    return numeric(reader, "is not an integer; use a number such as 3");
  }

  private static ITypeConverter<Double> number() {
    return numeric(Double::valueOf, "is not a number; use one such as 2 or 0.5");
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
   * Times such as {@code +10m} (from now), {@code 2026-03-01T12:00:00Z} or with an offset. Pure.
   */
  private static final class Times {
    private Times() {}

    /**
     * Reads a time.
     *
     * @throws IllegalArgumentException with the accepted forms if the text has none of them
     */
    static Instant parse(String text, Instant now) {
      String trimmed = text.strip();
      try {
        return trimmed.startsWith("+")
            ? now.plus(Durations.parse(trimmed.substring(1)))
            : OffsetDateTime.parse(trimmed).toInstant();
      } catch (DateTimeException | IllegalArgumentException | ArithmeticException e) {
        throw new IllegalArgumentException(
            ("'%s' is not a time; use a form such as +10m, 2026-03-01T12:00:00Z or"
                    + " 2026-03-01T12:00:00+01:00")
                .formatted(text),
            e);
      }
    }
  }
}
