package io.millrace.cli.invocation;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * The commands of one noun, such as {@code millrace share …}: an annotated method for each verb.
 */
@Command
public abstract class CommandGroup implements Runnable {
  protected final Invocation invocation;

  @Spec private CommandSpec spec;

  protected CommandGroup(Invocation invocation) {
    this.invocation = invocation;
  }

  /**
   * The command with its subcommands in the order of the help; all of them, separated by spaces.
   */
  protected static CommandLine inOrder(CommandLine group, String verbs) {
    // The parser adds annotated methods in the order of their names.
    for (String verb : verbs.split(" ", -1)) {
      group.getCommandSpec().addSubcommand(verb, group.getCommandSpec().removeSubcommand(verb));
    }
    return group;
  }

  @Override
  public final void run() {
    throw new ParameterException(
        spec.commandLine(),
        "no subcommand given; use one of: " + String.join(", ", spec.subcommands().keySet()));
  }
}
