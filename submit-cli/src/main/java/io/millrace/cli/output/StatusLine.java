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
  // The last line, if it was too soon after the one before it.
  private String skipped;
  private boolean open;

  public StatusLine(Terminal terminal, Clock clock) {
    this.terminal = terminal;
    this.clock = clock;
  }

  /** Shows a line, which is escaped already; kept for the end if the previous one is too recent. */
  public void show(String line) {
    long now = clock.nanoTime();
    Duration interval = terminal.errIsTerminal() ? ON_TERMINAL : IN_LOG;
    if (shownAt != null && now - shownAt < interval.toNanos()) {
      skipped = line;
      return;
    }
    shownAt = now;
    print(line);
  }

  private void print(String line) {
    skipped = null;
    if (terminal.errIsTerminal()) {
      terminal.err().print(ERASE + line);
      terminal.err().flush();
      open = true;
    } else {
      terminal.note(line);
    }
  }

  /** Leaves the last state on the screen, also if it was too recent to be shown before. */
  public void end() {
    if (skipped != null) {
      print(skipped);
    }
    if (open) {
      terminal.note("");
      open = false;
    }
  }
}
