package io.millrace.cli.job;

import io.millrace.cli.invocation.CommandGroup;
import io.millrace.cli.invocation.Invocation;
import picocli.CommandLine;

/** {@code millrace job …}. */
public final class JobCommand {
  private JobCommand() {}

  /** The command with its subcommands. */
  public static CommandLine create(Invocation invocation) {
    CommandLine command =
        CommandGroup.create("job", "Shows and steers jobs.")
            .addSubcommand(new ListCommand(invocation))
            .addSubcommand(new ShowCommand(invocation))
            .addSubcommand(new ExplainCommand(invocation))
            .addSubcommand(new HistoryCommand(invocation))
            .addSubcommand(new LogsCommand(invocation))
            .addSubcommand(new WaitCommand(invocation));
    ActionCommand.all(invocation).forEach(command::addSubcommand);
    return command;
  }
}
