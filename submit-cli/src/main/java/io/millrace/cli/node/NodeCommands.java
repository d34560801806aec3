package io.millrace.cli.node;

import io.millrace.cli.invocation.Invocation;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code millrace node …}. */
@Command(name = "node", description = "Shows nodes, drains queue nodes, announces maintenance.")
public final class NodeCommands implements Runnable {
  @Spec private CommandSpec spec;

  private NodeCommands() {}

  /** The command with its subcommands. */
  public static CommandLine create(Invocation invocation) {
    return new CommandLine(new NodeCommands())
        .addSubcommand(new ListCommand(invocation))
        .addSubcommand(new ShowCommand(invocation))
        .addSubcommand(new DrainCommand(invocation))
        .addSubcommand(new UndrainCommand(invocation))
        .addSubcommand(new MaintenanceCommand(invocation))
        .addSubcommand(new ForgetCommand(invocation))
        .addSubcommand(new DecisionsCommand(invocation));
  }

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "which one? name a subcommand of node");
  }
}
