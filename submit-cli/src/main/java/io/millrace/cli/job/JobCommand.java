package io.millrace.cli.job;

import io.millrace.cli.invocation.Invocation;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code millrace job …}. */
@Command(name = "job", description = "Shows and steers jobs.")
public final class JobCommand implements Runnable {
  @Spec private CommandSpec spec;

  private JobCommand() {}

  /** The command with its subcommands. */
  public static CommandLine create(Invocation invocation) {
    return new CommandLine(new JobCommand())
        .addSubcommand(new ListCommand(invocation))
        .addSubcommand(new ShowCommand(invocation))
        .addSubcommand(new LogsCommand(invocation))
        .addSubcommand(new CancelCommand(invocation))
        .addSubcommand(new RetryCommand(invocation))
        .addSubcommand(new WaitCommand(invocation));
  }

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "which one? name a subcommand of job");
  }
}
