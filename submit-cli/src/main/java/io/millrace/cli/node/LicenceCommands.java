package io.millrace.cli.node;

import io.millrace.cli.invocation.CommandGroup;
import io.millrace.cli.invocation.Invocation;
import picocli.CommandLine;

/** {@code millrace licence …}. */
public final class LicenceCommands {
  private LicenceCommands() {}

  /** The command with its subcommands. */
  public static CommandLine create(Invocation invocation) {
    return CommandGroup.create("licence", "Shows and sets consumables of the whole cluster.")
        .addSubcommand(new LicenceListCommand(invocation))
        .addSubcommand(new LicenceSetCommand(invocation));
  }
}
