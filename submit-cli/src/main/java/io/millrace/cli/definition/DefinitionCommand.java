package io.millrace.cli.definition;

import io.millrace.cli.invocation.CommandGroup;
import io.millrace.cli.invocation.Invocation;
import picocli.CommandLine;

/** {@code millrace definition …}. */
public final class DefinitionCommand {
  private DefinitionCommand() {}

  /** The command with its subcommands. */
  public static CommandLine create(Invocation invocation) {
    return CommandGroup.create("definition", "Shows applied definitions and goes back to old ones.")
        .addSubcommand(new ListCommand(invocation))
        .addSubcommand(new ShowCommand(invocation))
        .addSubcommand(new HistoryCommand(invocation))
        .addSubcommand(new RollbackCommand(invocation));
  }
}
