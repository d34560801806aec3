package io.millrace.cli.simulate;

import io.millrace.cli.invocation.CommandGroup;
import io.millrace.cli.invocation.Invocation;
import picocli.CommandLine;

/** {@code millrace simulate …}. */
public final class SimulateCommand {
  private SimulateCommand() {}

  /** The command with its subcommands. */
  public static CommandLine create(Invocation invocation) {
    return CommandGroup.create("simulate", "Runs the production rules on a virtual clock.")
        .addSubcommand(new BalanceCommand(invocation))
        .addSubcommand(new CapacityCommand(invocation))
        .addSubcommand(new PacingCommand(invocation));
  }
}
