package io.millrace.platform.time;

import java.time.Instant;
import java.time.temporal.ChronoUnit;

/** The clocks of the running JVM. Stateless, hence thread-safe. */
public final class SystemClock implements Clock {

  /**
   * Truncates to microseconds: H2 rounds finer values, MySQL truncates them, and a time that was
   * stored must equal the one that is read back.
   */
  @Override
  public Instant now() {
    return Instant.now().truncatedTo(ChronoUnit.MICROS);
  }

  @Override
  public long nanoTime() {
    return System.nanoTime();
  }
}
