package io.millrace.cli.server;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import sun.misc.Signal;
import sun.misc.SignalHandler;

/**
 * Waits for INT (Ctrl-C) or TERM. The first asks for a clean stop, after which the process exits
 * with the code it wants; a second one ends it at once. A shutdown hook offers neither. Closed when
 * the stop has ended. Thread-safe.
 */
final class StopSignals implements AutoCloseable {
  private static final int SIGNAL_BASE = 128;

  private final CountDownLatch asked = new CountDownLatch(1);
  private final AtomicInteger signals = new AtomicInteger();

  private StopSignals() {}

  /** Listens from now on. */
  static StopSignals listen() {
    StopSignals stop = new StopSignals();
    Signal.handle(new Signal("INT"), stop::heard);
    Signal.handle(new Signal("TERM"), stop::heard);
    return stop;
  }

  private void heard(Signal signal) {
    if (signals.incrementAndGet() > 1) {
      Runtime.getRuntime().halt(SIGNAL_BASE + signal.getNumber());
    }
    asked.countDown();
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
    Signal.handle(new Signal("INT"), SignalHandler.SIG_DFL);
    Signal.handle(new Signal("TERM"), SignalHandler.SIG_DFL);
  }
}
