package io.millrace.cli.definition;

import io.millrace.api.definition.ApplyChange;
import io.millrace.api.definition.RollbackRequest;
import io.millrace.cli.invocation.Invocation;
import io.millrace.cli.invocation.Refusal;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
    name = "rollback",
    description = "Makes a new version with the content of an earlier one.",
    footer = {
      "",
      "Examples:",
      "  millrace definition rollback queue alert           to the version before",
      "  millrace definition rollback queue alert --to 3 --dry-run",
      "",
      "A version that breaks today's rules is refused. Running work keeps its version."
    })
final class RollbackCommand implements Callable<Integer> {
  private final Invocation invocation;

  @Mixin private final NamedDefinition definition = new NamedDefinition();

  @Option(names = "--to", paramLabel = "N", description = "Default: the version before.")
  private Integer version;

  @Option(names = "--dry-run", description = "Only say what would change.")
  private boolean dryRun;

  RollbackCommand(Invocation invocation) {
    this.invocation = invocation;
  }

  @Override
  public Integer call() {
    Refusal.outside("--to", version, 1, Integer.MAX_VALUE);
    ApplyChange change =
        invocation
            .central()
            .rollBack(definition.kind(), definition.name(), new RollbackRequest(version, dryRun));
    invocation.answer(change, () -> print(change));
    return 0;
  }

  private void print(ApplyChange change) {
    ChangeLines lines = new ChangeLines(invocation);
    lines.print(change);
    lines.remindOfDryRun(dryRun);
  }
}
