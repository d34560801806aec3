package io.millrace.cli.queue;

import io.millrace.cli.invocation.Invocation;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code millrace queue dead …}. */
@Command(name = "dead", description = "Shows, requeues and drops dead letters.")
final class DeadCommand implements Runnable {
  @Spec private CommandSpec spec;

  private DeadCommand() {}

  static CommandLine create(Invocation invocation) {
    return new CommandLine(new DeadCommand())
        .addSubcommand(new DeadListCommand(invocation))
        .addSubcommand(new DeadShowCommand(invocation))
        .addSubcommand(new DeadRequeueCommand(invocation))
        .addSubcommand(new DeadDropCommand(invocation));
  }

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "which one? name a subcommand of queue dead");
  }
}
