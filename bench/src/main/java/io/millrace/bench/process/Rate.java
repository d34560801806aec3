package io.millrace.bench.process;

import io.millrace.platform.clock.Clock;

/** How much is done in a second, on the monotonic clock. */
public final class Rate {
  private static final double SECOND = 1e9;

  private Rate() {}

  /** What is timed; blocks until it is done. */
  @FunctionalInterface
  public interface Work<X extends Exception> {
    void run() throws X, InterruptedException;
  }

  /**
   * Does the work once and gives its rate.
   *
   * @param count of what the work does
   */
  public static <X extends Exception> double perSecond(Clock clock, long count, Work<X> work)
      throws X, InterruptedException {
    long begun = clock.nanoTime();
    work.run();
    return count * SECOND / (clock.nanoTime() - begun);
  }
}
