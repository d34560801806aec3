package io.millrace.cli.partition;

import io.millrace.cli.invocation.CommandGroup;
import io.millrace.cli.invocation.Invocation;
import picocli.CommandLine;

/** {@code millrace partition …}. */
public final class PartitionCommands {
  private PartitionCommands() {}

  /** The command with its subcommands. */
  public static CommandLine create(Invocation invocation) {
    return CommandGroup.create("partition", "Shows groups of programs that share resources.")
        .addSubcommand(new ListCommand(invocation))
        .addSubcommand(new ShowCommand(invocation))
        .addSubcommand(new CyclesCommand(invocation));
  }
}
