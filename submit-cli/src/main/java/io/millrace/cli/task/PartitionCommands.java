package io.millrace.cli.task;

import io.millrace.cli.invocation.CommandGroup;
import io.millrace.cli.invocation.Invocation;
import picocli.CommandLine;

/** {@code millrace partition …}. */
public final class PartitionCommands {
  private PartitionCommands() {}

  /** The command with its subcommands. */
  public static CommandLine create(Invocation invocation) {
    return CommandGroup.create("partition", "Shows groups of programs that share resources.")
        .addSubcommand(new PartitionListCommand(invocation))
        .addSubcommand(new PartitionShowCommand(invocation))
        .addSubcommand(new CyclesCommand(invocation));
  }
}
