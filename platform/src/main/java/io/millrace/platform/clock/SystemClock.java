package io.millrace.platform.clock;

import java.time.Instant;
import java.time.temporal.ChronoUnit;

/**
 * The clocks of the running JVM. Thread-safe.
 *
 * <p>For drills the wall clock of one process can be set wrong, and stepped while it runs, by the
 * system property {@value #OFFSET}: see {@link ClockOffset}.
 */
public final class SystemClock implements Clock {
  /** An amount such as {@code -1h}, or the path of a file that holds one and may change. */
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
}
