package io.millrace.cli.simulate;

import io.millrace.cli.invocation.CommandGroup;
import io.millrace.cli.invocation.Invocation;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** {@code millrace simulate …}. */
@Command(
    name = "simulate",
    description = "Runs the production rules of pacing and balancing on a virtual clock.")
public final class SimulateCommand extends CommandGroup {
  private SimulateCommand(Invocation invocation) {
    super(invocation);
  }

  /** The command with its subcommands. */
  public static CommandLine create(Invocation invocation) {
    return new CommandLine(new SimulateCommand(invocation))
        .addSubcommand(new BalanceCommand(invocation))
        .addSubcommand(new CapacityCommand(invocation))
        .addSubcommand(new PacingCommand(invocation));
  }
}
