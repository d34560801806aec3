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
 * A started service whose stop cannot hang: after a while the process is ended, which is what
 * everything here must survive anyway.
 */
final class RunningService implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(15);

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

  /** Tells people that the stop begins; what the log says of it goes to the file alone. */
  void announceStop() {
    terminal.note("stopping ...");
    // The log's console writes to System.err, the terminal has a stream of its own. Parts that see
    // others go first warn of it, which would look like trouble.
    System.setErr(new PrintStream(OutputStream.nullOutputStream(), false, UTF_8));
  }

  @Override
  public void close() {
    Threads.daemon("stop-watch", this::endLate).start();
    service.stop();
    terminal.note("stopped");
  }

  private void endLate() {
    try {
      new Waiter().await(PATIENCE);
      terminal.note("the stop takes too long; ended without it");
      Runtime.getRuntime().halt(1);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
