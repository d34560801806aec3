package io.millrace.platform.clock;

import io.millrace.api.Durations;
import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/**
 * The clocks of the running JVM. Thread-safe.
 *
 * <p>For drills, the wall clock of one process can be offset, and stepped while it runs, by the
 * system property {@value #OFFSET}: see {@link ClockOffset}.
 */
public final class SystemClock implements Clock {
  /** An amount such as {@code -1h}, or the path of a file with an amount that may change. */
  public static final String OFFSET = "millrace.clock.offset";

  private final ClockOffset offset;

  public SystemClock() {
    this(ClockOffset.of(System.getProperty(OFFSET)));
  }

  SystemClock(ClockOffset offset) {
    this.offset = offset;
  }

  /**
   * Truncates to microseconds: H2 rounds finer values, MySQL truncates them, and a time that was
   * stored must equal the one that is read back.
   */
  @Override
  public Instant now() {
    return Instant.now().plus(offset.at(System.nanoTime())).truncatedTo(ChronoUnit.MICROS);
  }

  @Override
  public long nanoTime() {
    return System.nanoTime();
  }

  /**
   * The offset of a process's wall clock in drills. A file is read at most ten times a second;
   * while it is missing or empty the offset is zero. Thread-safe.
   */
  static final class ClockOffset {
    private static final long REREAD_NANOS = Duration.ofMillis(100).toNanos();

    private record Reading(Duration offset, long nanos) {}

    private final Path file;
    private volatile Reading reading;

    private ClockOffset(Path file, Duration fixed) {
      this.file = file;
      this.reading = new Reading(fixed, 0);
    }

    /**
     * The offset that a text specifies.
     *
     * @param text an amount, the path of a file with a slash in it, or null for none
     * @throws MillraceException CONFIGURATION when it is neither
     */
    static ClockOffset of(String text) {
      if (text == null || text.isBlank()) {
        return new ClockOffset(null, Duration.ZERO);
      }
      if (text.contains("/")) {
        Path file = Path.of(text);
        ClockOffset offset = new ClockOffset(file, Duration.ZERO);
        offset.reading = new Reading(read(file), System.nanoTime());
        return offset;
      }
      return new ClockOffset(null, amount(text));
    }

    /** The offset at a moment of the monotonic clock. */
    Duration at(long nanos) {
      Reading last = reading;
      if (file != null && nanos - last.nanos() > REREAD_NANOS) {
        last = new Reading(read(file), nanos);
        reading = last;
      }
      return last.offset();
    }

    private static Duration read(Path file) {
      try {
        String text = Files.exists(file) ? Files.readString(file).strip() : "";
        return text.isEmpty() ? Duration.ZERO : amount(text);
      } catch (IOException e) {
        throw new MillraceException(ErrorCode.CONFIGURATION, "cannot read " + file + ": " + e, e);
      }
    }

    private static Duration amount(String text) {
      try {
        return text.startsWith("-")
            ? Durations.parse(text.substring(1)).negated()
            : Durations.parse(text);
      } catch (IllegalArgumentException e) {
        throw new MillraceException(
            ErrorCode.CONFIGURATION, SystemClock.OFFSET + ": " + e.getMessage(), e);
      }
    }
  }
}
