package io.millrace.cli.invocation;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The commands about one noun, such as {@code millrace share …}: annotated methods, one a verb. */
@Command
public abstract class CommandGroup implements Runnable {
  protected final Invocation invocation;

  @Spec private CommandSpec spec;

  protected CommandGroup(Invocation invocation) {
    this.invocation = invocation;
  }

  /** The command, whose subcommands the help lists in this order: all of them, between spaces. */
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
        spec.commandLine(), "which one? name a subcommand of '" + spec.qualifiedName() + "'");
  }
}
