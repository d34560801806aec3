package io.millrace.cli.server;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Waits for INT (Ctrl-C) or TERM, and keeps the process alive until the clean stop has ended, at
 * most half a minute. Closed when the stop has ended. Thread-safe.
 */
final class StopSignals implements AutoCloseable {
  private static final long MOST_SECONDS = 30;

  private final CountDownLatch asked = new CountDownLatch(1);
  private final CountDownLatch ended = new CountDownLatch(1);

  /** Listens from now on. */
  static StopSignals listen() {
    StopSignals stop = new StopSignals();
    Runtime.getRuntime().addShutdownHook(new Thread(stop::heard, "stop-signal"));
    return stop;
  }

  private void heard() {
    asked.countDown();
    try {
      if (!ended.await(MOST_SECONDS, TimeUnit.SECONDS)) {
        System.err.println("the stop takes too long; ending at once");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Asks for the stop from within. */
  void ask() {
    asked.countDown();
  }

  boolean asked() {
    return asked.getCount() == 0;
  }

  /** Blocks until somebody asks. */
  void await() throws InterruptedException {
    asked.await();
  }

  @Override
  public void close() {
    ended.countDown();
  }
}
