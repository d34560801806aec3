package io.millrace.cli.server;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.millrace.cli.output.Terminal;
import io.millrace.platform.lifecycle.Service;
import io.millrace.platform.lifecycle.Threads;
import io.millrace.platform.lifecycle.Waiter;
import java.io.OutputStream;
import java.io.PrintStream;
import java.time.Duration;

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
    // The console logger writes to System.err, the terminal has its own stream. Parts that see others
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
}
