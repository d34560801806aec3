package io.millrace.bench.process;

import io.millrace.platform.clock.Clock;

/** Measures rates per second on the monotonic clock. */
public final class Rate {
  private static final double SECOND = 1e9;

  private Rate() {}

  /** The measured work; blocks until it is done. */
  @FunctionalInterface
  public interface Work<X extends Exception> {
    void run() throws X, InterruptedException;
  }

  /**
   * Does the work once and returns its rate.
   *
   * @param count number of items that the work handles
   */
  public static <X extends Exception> double perSecond(Clock clock, long count, Work<X> work)
      throws X, InterruptedException {
    long begin = clock.nanoTime();
    work.run();
    return count * SECOND / (clock.nanoTime() - begin);
  }
}
