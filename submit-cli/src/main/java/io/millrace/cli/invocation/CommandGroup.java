package io.millrace.cli.invocation;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** A command that only holds others, such as {@code millrace share …}. */
@Command
public final class CommandGroup implements Runnable {
  @Spec private CommandSpec spec;

  private CommandGroup() {}

  /** The command; its subcommands are added to it. */
  public static CommandLine create(String name, String description) {
    CommandLine command = new CommandLine(new CommandGroup());
    command.setCommandName(name).getCommandSpec().usageMessage().description(description);
    return command;
  }

  @Override
  public void run() {
    throw new ParameterException(
        spec.commandLine(), "which one? name a subcommand of '" + spec.qualifiedName() + "'");
  }
}
