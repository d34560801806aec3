package io.millrace.cli.server;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.millrace.cli.output.Terminal;
import io.millrace.platform.lifecycle.Service;
import io.millrace.platform.lifecycle.Threads;
import io.millrace.platform.lifecycle.Waiter;
import java.io.OutputStream;
import java.io.PrintStream;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * A started service whose stop cannot hang: after a time limit the process is halted, which all
 * parts must survive anyway.
 */
final class RunningService implements AutoCloseable {
  private static final Duration STOP_TIMEOUT = Duration.ofSeconds(15);

  private final Service service;
  private final Terminal terminal;

  private RunningService(Service service, Terminal terminal) {
    this.service = service;
    this.terminal = terminal;
  }

  static RunningService start(Service service, Terminal terminal) {
    service.start();
    return new RunningService(service, terminal);
  }

  /** Announces the stop; from now on, log messages go to the file only. */
  void announceStop() {
    terminal.note("stopping ...");
    // The console logger writes to System.err, the terminal has its own stream. Parts that see
    // others
    // stop first log warnings, which would look like failures.
    System.setErr(new PrintStream(OutputStream.nullOutputStream(), false, UTF_8));
  }

  @Override
  public void close() {
    Threads.daemon("stop-watch", this::haltAfterTimeout).start();
    service.stop();
    terminal.note("stopped");
  }

  private void haltAfterTimeout() {
    try {
      new Waiter().await(STOP_TIMEOUT);
      terminal.note("stopping timed out; process halted");
      Runtime.getRuntime().halt(1);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /**
   * Waits for SIGINT (Ctrl-C) or SIGTERM, and keeps the process alive until the clean stop has
   * ended, for at most 30 seconds. Closed when the stop has ended. Thread-safe.
   */
  static final class StopSignals implements AutoCloseable {
    private static final long TIMEOUT_SECONDS = 30;

    private final CountDownLatch asked = new CountDownLatch(1);
    private final CountDownLatch ended = new CountDownLatch(1);

    /** Registers the handler. */
    static StopSignals listen() {
      StopSignals stop = new StopSignals();
      Runtime.getRuntime().addShutdownHook(new Thread(stop::signalReceived, "stop-signal"));
      return stop;
    }

    private void signalReceived() {
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
}
