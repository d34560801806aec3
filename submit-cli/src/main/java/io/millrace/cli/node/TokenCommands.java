package io.millrace.cli.node;

import io.millrace.cli.invocation.CommandGroup;
import io.millrace.cli.invocation.Invocation;
import picocli.CommandLine;

/** {@code millrace token …}. */
public final class TokenCommands {
  private TokenCommands() {}

  /** The command with its subcommands. */
  public static CommandLine create(Invocation invocation) {
    return CommandGroup.create("token", "Makes tokens.")
        .addSubcommand(new TokenJoinCommand(invocation));
  }
}
