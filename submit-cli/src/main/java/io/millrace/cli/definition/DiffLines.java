package io.millrace.cli.definition;

import io.millrace.cli.invocation.Invocation;
import io.millrace.cli.output.Escaping;
import io.millrace.cli.output.Style;
import java.util.List;

/** Prints what went and what came, indented. */
final class DiffLines {
  private final Invocation invocation;

  DiffLines(Invocation invocation) {
    this.invocation = invocation;
  }

  void print(List<String> diff) {
    for (String line : diff) {
      String shown = invocation.palette().paint(style(line), Escaping.text(line));
      invocation.terminal().line("  " + shown);
    }
  }

  private static Style style(String line) {
    if (line.startsWith("+")) {
      return Style.GOOD;
    }
    return line.startsWith("-") ? Style.BAD : Style.PLAIN;
  }
}
