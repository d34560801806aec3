package io.millrace.cli.queue;

import io.millrace.cli.definition.QueueTryCommand;
import io.millrace.cli.invocation.CommandGroup;
import io.millrace.cli.invocation.Invocation;
import picocli.CommandLine;

/** {@code millrace queue …}. */
public final class QueueCommand {
  private QueueCommand() {}

  /** The command with its subcommands. */
  public static CommandLine create(Invocation invocation) {
    return CommandGroup.create(
            "queue", "Shows and steers queues, their events and their dead letters.")
        .addSubcommand(new ListCommand(invocation))
        .addSubcommand(new ShowCommand(invocation))
        .addSubcommand(new SendCommand(invocation))
        .addSubcommand(new PeekCommand(invocation))
        .addSubcommand(DeadCommand.create(invocation))
        .addSubcommand(new WeightsCommand(invocation))
        .addSubcommand(new DecisionsCommand(invocation))
        .addSubcommand(new ExplainCommand(invocation))
        .addSubcommand(new SetCommand(invocation))
        .addSubcommand(new UnsetCommand(invocation))
        .addSubcommand(new PauseCommand(invocation))
        .addSubcommand(new ResumeCommand(invocation))
        .addSubcommand(new PurgeCommand(invocation))
        .addSubcommand(new LogsCommand(invocation))
        .addSubcommand(new QueueTryCommand(invocation));
  }
}
