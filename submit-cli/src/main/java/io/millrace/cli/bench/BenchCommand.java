package io.millrace.cli.bench;

import io.millrace.cli.invocation.Invocation;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code millrace bench …}. */
@Command(
    name = "bench",
    description = "Measures Millrace on this machine, beside what the machine does without it.")
public final class BenchCommand implements Runnable {
  @Spec private CommandSpec spec;

  private BenchCommand() {}

  /** The command with its subcommands. */
  public static CommandLine create(Invocation invocation) {
    return new CommandLine(new BenchCommand())
        .addSubcommand(new QueueBenchCommand(invocation))
        .addSubcommand(new PutsBenchCommand(invocation))
        .addSubcommand(new BacklogBenchCommand(invocation))
        .addSubcommand(new BalanceBenchCommand(invocation))
        .addSubcommand(new ManagersBenchCommand(invocation))
        .addSubcommand(new JobsBenchCommand(invocation));
  }

  @Override
  public void run() {
    throw new ParameterException(
        spec.commandLine(),
        "which one? name a subcommand of bench: queue, puts, backlog, balance, managers or jobs");
  }
}
