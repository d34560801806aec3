package io.millrace.cli.bench;

import io.millrace.cli.invocation.ExitCode;
import io.millrace.cli.invocation.Invocation;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code millrace bench balance}. */
@Command(
    name = "balance",
    description = "Shows weight leave a node that is too weak, and nodes that are not needed.",
    footer = {
      "",
      "Three queue nodes and a load balancer run as processes of their own; the store's writer of",
      "the third really waits at each write. Load is low, then high, then low again. Asked is that",
      "the weak node becomes TOOBUSY, that no node is TOOBUSY any more before the load falls, and",
      "that the cluster ends on the fewest nodes.",
      "",
      "Example:",
      "  millrace bench balance --svg balance.svg"
    })
final class BalanceBenchCommand implements Callable<Integer> {
  private final Invocation invocation;

  @Option(names = "--low", defaultValue = "30", description = "Events per second at first, last.")
  private int low;

  @Option(names = "--high", defaultValue = "600", description = "Events per second in between.")
  private int high;

  @Option(names = "--phase", defaultValue = "90s", description = "Length of each phase.")
  private Duration phase;

  @Option(
      names = "--delay",
      defaultValue = "3ms",
      description = "What each write of the third node's store waits (default: ${DEFAULT-VALUE}).")
  private Duration delay;

  @Option(names = "--svg", paramLabel = "FILE", description = "Write a chart.")
  private Path svg;

  BalanceBenchCommand(Invocation invocation) {
    this.invocation = invocation;
  }

  @Override
  public Integer call() throws Exception {
    NodeOptions.require(low >= 1 && high > low, "--low is at least 1 and --high is above it");
    NodeOptions.require(phase.toSeconds() >= 10, "--phase is at least 10s");
    NodeOptions.require(!delay.isNegative(), "--delay is not negative");
    BalanceBench.Plan plan = new BalanceBench.Plan(low, high, phase, delay, svg);
    boolean kept = new BalanceBench(invocation, plan).run();
    return (kept ? ExitCode.OK : ExitCode.FAILED).code();
  }
}
