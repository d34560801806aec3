package io.millrace.cli.node;

import io.millrace.cli.invocation.CommandGroup;
import io.millrace.cli.invocation.Invocation;
import picocli.CommandLine;

/** {@code millrace node …}. */
public final class NodeCommands {
  private NodeCommands() {}

  /** The command with its subcommands. */
  public static CommandLine create(Invocation invocation) {
    return CommandGroup.create("node", "Shows nodes, drains them, announces maintenance.")
        .addSubcommand(new ListCommand(invocation))
        .addSubcommand(new ShowCommand(invocation))
        .addSubcommand(new DrainCommand(invocation))
        .addSubcommand(new UndrainCommand(invocation))
        .addSubcommand(new MaintenanceCommand(invocation))
        .addSubcommand(new ForgetCommand(invocation))
        .addSubcommand(new DecisionsCommand(invocation));
  }
}
