package io.millrace.cli.queue;

import io.millrace.cli.invocation.CommandGroup;
import io.millrace.cli.invocation.Invocation;
import picocli.CommandLine;

/** {@code millrace queue dead …}. */
final class DeadCommand {
  private DeadCommand() {}

  static CommandLine create(Invocation invocation) {
    return CommandGroup.create("dead", "Shows, requeues and drops dead letters.")
        .addSubcommand(new DeadListCommand(invocation))
        .addSubcommand(new DeadShowCommand(invocation))
        .addSubcommand(new DeadRequeueCommand(invocation))
        .addSubcommand(new DeadDropCommand(invocation));
  }
}
