package io.millrace.cli.definition;

import io.millrace.api.definition.ApplyChange;
import io.millrace.cli.invocation.Invocation;
import io.millrace.cli.output.Escaping;
import java.util.Locale;

/** Prints what became of a definition. */
final class ChangeLines {
  private final Invocation invocation;

  ChangeLines(Invocation invocation) {
    this.invocation = invocation;
  }

  void print(ApplyChange change) {
    String action = change.action().name().toLowerCase(Locale.ROOT);
    String name = Escaping.text(change.kind() + "/" + change.name());
    invocation.terminal().line(name + " " + action + " (version " + change.version() + ")");
    new DiffLines(invocation).print(change.diff());
  }

  void remindOfDryRun(boolean dryRun) {
    if (dryRun) {
      invocation.terminal().note("nothing was changed (--dry-run)");
    }
  }
}
