package io.millrace.cli.node;

import io.millrace.cli.invocation.CommandGroup;
import io.millrace.cli.invocation.Invocation;
import picocli.CommandLine;

/** {@code millrace share …}. */
public final class ShareCommands {
  private ShareCommands() {}

  /** The command with its subcommands. */
  public static CommandLine create(Invocation invocation) {
    return CommandGroup.create("share", "Shows and sets everybody's part of the cluster.")
        .addSubcommand(new ShareListCommand(invocation))
        .addSubcommand(new ShareSetCommand(invocation));
  }
}
