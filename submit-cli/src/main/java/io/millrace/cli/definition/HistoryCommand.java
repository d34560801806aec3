package io.millrace.cli.definition;

import io.millrace.api.definition.DefinitionVersion;
import io.millrace.cli.invocation.Invocation;
import io.millrace.cli.output.Escaping;
import io.millrace.cli.output.Style;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(
    name = "history",
    description = "Lists a definition's versions with what each changed, newest first.",
    footer = {"", "Example:", "  millrace definition history queue alert"})
final class HistoryCommand implements Callable<Integer> {
  private final Invocation invocation;

  @Mixin private final NamedDefinition definition = new NamedDefinition();

  HistoryCommand(Invocation invocation) {
    this.invocation = invocation;
  }

  @Override
  public Integer call() {
    List<DefinitionVersion> history =
        invocation.central().definitionHistory(definition.kind(), definition.name());
    invocation.answer(history, () -> history.forEach(this::print));
    return 0;
  }

  private void print(DefinitionVersion version) {
    String heading =
        "version "
            + version.version()
            + "  "
            + version.appliedAt()
            + "  "
            + version.author()
            + (version.sameAs() == null ? "" : "  (the same as version " + version.sameAs() + ")");
    invocation.terminal().line(invocation.palette().paint(Style.HEADING, Escaping.text(heading)));
    new DiffLines(invocation).print(version.diff());
  }
}
