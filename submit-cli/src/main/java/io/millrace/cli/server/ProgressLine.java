package io.millrace.cli.server;

import io.millrace.cli.output.Escaping;
import io.millrace.cli.output.Figures;
import io.millrace.cli.output.Terminal;
import io.millrace.cli.server.Demo.Totals;
import java.util.Locale;
import java.util.Optional;

/** Shows how far the day is: one line that is rewritten, or a new one now and then in a log. */
final class ProgressLine {
  private static final int EVERY = 10;
  private static final String ERASE = "\r\u001b[2K";

  private final Terminal terminal;
  private int calls;
  private boolean open;

  /** Progress is for people, so that it goes where messages go. */
  ProgressLine(Terminal terminal) {
    this.terminal = terminal;
  }

  /** Called about once a second. */
  void show(
      double daySeconds, long sent, long acknowledged, Totals totals, Optional<String> trouble) {
    long minutes = (long) (daySeconds / 60);
    String line =
        String.format(
            Locale.ROOT,
            "%02d:%02d  sent %s  acknowledged %s  waiting %s  done %s  workers %s  dead %s%s",
            minutes / 60,
            minutes % 60,
            Figures.count(sent),
            Figures.count(acknowledged),
            Figures.count(totals.unfinished()),
            Figures.count(totals.done()),
            Figures.count(totals.workers()),
            Figures.count(totals.dead()),
            trouble.map(words -> "  (retrying: " + shortened(words) + ")").orElse(""));
    if (terminal.errIsTerminal()) {
      terminal.err().print(ERASE + line);
      terminal.err().flush();
      open = true;
    } else if (calls % EVERY == 0) {
      terminal.note(line);
    }
    calls++;
  }

  /** Leaves the last state of a rewritten line on the screen. */
  void end() {
    if (open) {
      terminal.note("");
      open = false;
    }
  }

  private static String shortened(String words) {
    String safe = Escaping.text(words);
    return safe.length() > 60 ? safe.substring(0, 60) + "…" : safe;
  }
}
