package io.millrace.cli.definition;

import io.millrace.api.definition.ApplyAnswer.ApplyChange;
import io.millrace.cli.invocation.Invocation;
import io.millrace.cli.output.Escaping;
import io.millrace.cli.output.Palette.Style;
import java.util.List;
import java.util.Locale;

/** Prints the changes of definitions. */
final class ChangeLines {
  private final Invocation invocation;

  ChangeLines(Invocation invocation) {
    this.invocation = invocation;
  }

  void print(ApplyChange change) {
    String action = change.action().name().toLowerCase(Locale.ROOT);
    String name = Escaping.text(change.kind() + "/" + change.name());
    invocation.line(name + " " + action + " (version " + change.version() + ")");
    printDiff(change.diff());
  }

  void remindOfDryRun(boolean dryRun) {
    if (dryRun) {
      invocation.note("dry run: nothing was changed");
    }
  }

  /** Removed and added lines, indented. */
  void printDiff(List<String> diff) {
    for (String line : diff) {
      String shown = invocation.palette().paint(style(line), Escaping.text(line));
      invocation.line("  " + shown);
    }
  }

  private static Style style(String line) {
    if (line.startsWith("+")) {
      return Style.GOOD;
    }
    return line.startsWith("-") ? Style.BAD : Style.PLAIN;
  }
}
