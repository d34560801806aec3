package io.millrace.cli.output;

import io.millrace.platform.clock.Clock;
import java.time.Duration;

/**
 * Progress on stderr: one line that is overwritten on a terminal, otherwise a new line now and
 * then. Not thread-safe.
 */
public final class StatusLine {
  private static final Duration ON_TERMINAL = Duration.ofMillis(200);
  private static final Duration IN_LOG = Duration.ofSeconds(10);
  private static final String ERASE = "\r\u001b[2K";

  private final Terminal terminal;
  private final Clock clock;
  private Long shownAt;
  private boolean open;

  public StatusLine(Terminal terminal, Clock clock) {
    this.terminal = terminal;
    this.clock = clock;
  }

  /** Shows a line, which is escaped already; ignored if the previous one is too recent. */
  public void show(String line) {
    long now = clock.nanoTime();
    Duration interval = terminal.errIsTerminal() ? ON_TERMINAL : IN_LOG;
    if (shownAt != null && now - shownAt < interval.toNanos()) {
      return;
    }
    shownAt = now;
    if (terminal.errIsTerminal()) {
      terminal.err().print(ERASE + line);
      terminal.err().flush();
      open = true;
    } else {
      terminal.note(line);
    }
  }

  /** Leaves the last state of an overwritten line on the screen. */
  public void end() {
    if (open) {
      terminal.note("");
      open = false;
    }
  }
}
