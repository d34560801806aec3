package io.millrace.cli.queue;

import io.millrace.cli.invocation.Invocation;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code millrace queue …}. */
@Command(
    name = "queue",
    description = "Shows and steers queues, their events and their dead letters.")
public final class QueueCommand implements Runnable {
  @Spec private CommandSpec spec;

  private QueueCommand() {}

  /** The command with its subcommands. */
  public static CommandLine create(Invocation invocation) {
    return new CommandLine(new QueueCommand())
        .addSubcommand(new ListCommand(invocation))
        .addSubcommand(new ShowCommand(invocation))
        .addSubcommand(new SendCommand(invocation))
        .addSubcommand(new PeekCommand(invocation))
        .addSubcommand(DeadCommand.create(invocation))
        .addSubcommand(new WeightsCommand(invocation))
        .addSubcommand(new DecisionsCommand(invocation))
        .addSubcommand(new PauseCommand(invocation))
        .addSubcommand(new ResumeCommand(invocation))
        .addSubcommand(new PurgeCommand(invocation))
        .addSubcommand(new LogsCommand(invocation));
  }

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "which one? name a subcommand of queue");
  }
}
