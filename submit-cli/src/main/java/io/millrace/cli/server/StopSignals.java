package io.millrace.cli.server;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Waits for SIGINT (Ctrl-C) or SIGTERM, and keeps the process alive until the clean stop has ended,
 * for at most 30 seconds. Closed when the stop has ended. Thread-safe.
 */
final class StopSignals implements AutoCloseable {
  private static final long TIMEOUT_SECONDS = 30;

  private final CountDownLatch asked = new CountDownLatch(1);
  private final CountDownLatch ended = new CountDownLatch(1);

  /** Registers the handler. */
  static StopSignals listen() {
    StopSignals stop = new StopSignals();
    Runtime.getRuntime().addShutdownHook(new Thread(stop::heard, "stop-signal"));
    return stop;
  }

  private void heard() {
    asked.countDown();
    try {
      if (!ended.await(TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
        System.err.println("stopping timed out; exiting");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Requests the stop from within the process. */
  void ask() {
    asked.countDown();
  }

  boolean asked() {
    return asked.getCount() == 0;
  }

  /** Blocks until a stop is requested. */
  void await() throws InterruptedException {
    asked.await();
  }

  @Override
  public void close() {
    ended.countDown();
  }
}
