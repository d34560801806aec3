package io.millrace.cli.definition;

import io.millrace.api.definition.DefinitionView;
import io.millrace.cli.invocation.Invocation;
import io.millrace.cli.invocation.Refusal;
import io.millrace.cli.output.Escaping;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
    name = "show",
    description = "Prints a definition as YAML, which can be applied.",
    footer = {
      "",
      "Examples:",
      "  millrace definition show queue alert > alert.yaml",
      "  millrace definition show queue alert --version 3"
    })
final class ShowCommand implements Callable<Integer> {
  private final Invocation invocation;

  @Mixin private final NamedDefinition definition = new NamedDefinition();

  @Option(names = "--version", paramLabel = "N", description = "Default: the one in force.")
  private Integer version;

  ShowCommand(Invocation invocation) {
    this.invocation = invocation;
  }

  @Override
  public Integer call() {
    Refusal.outside("--version", version, 1, Integer.MAX_VALUE);
    DefinitionView view =
        invocation
            .central()
            .definition(definition.kind(), definition.name(), version == null ? 0 : version);
    invocation.answer(view, () -> print(view));
    return 0;
  }

  private void print(DefinitionView view) {
    invocation
        .terminal()
        .line(
            Escaping.text(
                "# version "
                    + view.version()
                    + (view.inForce() ? ", in force" : "")
                    + ", by "
                    + view.author()
                    + ", "
                    + view.appliedAt()));
    view.text().lines().forEach(line -> invocation.terminal().line(Escaping.text(line)));
  }
}
