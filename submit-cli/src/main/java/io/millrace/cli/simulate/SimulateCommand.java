package io.millrace.cli.simulate;

import io.millrace.cli.invocation.Invocation;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code millrace simulate …}. */
@Command(name = "simulate", description = "Runs the production rules on a virtual clock.")
public final class SimulateCommand implements Runnable {
  @Spec private CommandSpec spec;

  private SimulateCommand() {}

  /** The command with its subcommands. */
  public static CommandLine create(Invocation invocation) {
    return new CommandLine(new SimulateCommand()).addSubcommand(new BalanceCommand(invocation));
  }

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "which one? name a subcommand of simulate");
  }
}
