package io.millrace.cli.task;

import io.millrace.cli.definition.TaskTryCommand;
import io.millrace.cli.invocation.CommandGroup;
import io.millrace.cli.invocation.Invocation;
import picocli.CommandLine;

/** {@code millrace task …}. */
public final class TaskCommand {
  private TaskCommand() {}

  /** The command with its subcommands. */
  public static CommandLine create(Invocation invocation) {
    return CommandGroup.create("task", "Shows and steers tasks, their schedules and their runs.")
        .addSubcommand(new ListCommand(invocation))
        .addSubcommand(new ShowCommand(invocation))
        .addSubcommand(new NextCommand(invocation))
        .addSubcommand(new RunCommand(invocation))
        .addSubcommand(new StopCommand(invocation))
        .addSubcommand(new PauseCommand(invocation))
        .addSubcommand(new ResumeCommand(invocation))
        .addSubcommand(new HistoryCommand(invocation))
        .addSubcommand(new ImportCommand(invocation))
        .addSubcommand(new TaskTryCommand(invocation));
  }
}
