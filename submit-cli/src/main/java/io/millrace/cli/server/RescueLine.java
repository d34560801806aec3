package io.millrace.cli.server;

import io.millrace.cli.output.Escaping;
import io.millrace.cli.output.Figures;
import io.millrace.cli.output.Terminal;
import io.millrace.platform.clock.Clock;
import java.time.Duration;

/** Says how far a rescue is: a line that is rewritten, or one in a while in a log. */
final class RescueLine {
  private static final Duration ON_TERMINAL = Duration.ofMillis(200);
  private static final Duration IN_LOG = Duration.ofSeconds(10);
  private static final String ERASE = "\r\u001b[2K";

  private final Terminal terminal;
  private final Clock clock;
  private Long saidAt;
  private boolean open;

  RescueLine(Terminal terminal, Clock clock) {
    this.terminal = terminal;
    this.clock = clock;
  }

  void sent(String queue, long sent, long found) {
    say(
        Escaping.text(queue)
            + ": "
            + Figures.count(sent)
            + " of "
            + Figures.count(found)
            + " events sent");
  }

  void waits(String reason) {
    say("waits: " + Escaping.text(reason));
  }

  private void say(String line) {
    long now = clock.nanoTime();
    Duration pause = terminal.errIsTerminal() ? ON_TERMINAL : IN_LOG;
    if (saidAt != null && now - saidAt < pause.toNanos()) {
      return;
    }
    saidAt = now;
    if (terminal.errIsTerminal()) {
      terminal.err().print(ERASE + line);
      terminal.err().flush();
      open = true;
    } else {
      terminal.note(line);
    }
  }

  /** Leaves the last state of a rewritten line on the screen. */
  void end() {
    if (open) {
      terminal.note("");
      open = false;
    }
  }
}
