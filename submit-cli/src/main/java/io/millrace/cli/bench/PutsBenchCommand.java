package io.millrace.cli.bench;

import io.millrace.cli.invocation.ExitCode;
import io.millrace.cli.invocation.Invocation;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code millrace bench puts}. */
@Command(
    name = "puts",
    description = "Delay of single events put at a steady rate.",
    footer = {
      "",
      "Each put has its time; its delay counts from then on, so that a put that had to wait for an",
      "earlier one is not made to look short.",
      "",
      "Example:",
      "  millrace bench puts --rate 2000 --seconds 20 --new-connections"
    })
final class PutsBenchCommand implements Callable<Integer> {
  private final Invocation invocation;

  @Mixin private NodeOptions node;

  @Option(names = "--rate", defaultValue = "2000", description = "Puts per second.")
  private int rate;

  @Option(names = "--seconds", defaultValue = "20", description = "How long it goes on.")
  private int seconds;

  @Option(
      names = "--new-connections",
      description = "A connection for each put, as short-lived producers make.")
  private boolean newConnections;

  @Option(names = "--producers", defaultValue = "16", description = "Producers at once.")
  private int producers;

  PutsBenchCommand(Invocation invocation) {
    this.invocation = invocation;
  }

  @Override
  public Integer call() throws Exception {
    NodeOptions.require(rate >= 1 && rate <= 100_000, "--rate is 1 to 100000");
    NodeOptions.require(seconds >= 1 && seconds <= 3_600, "--seconds is 1 to 3600");
    NodeOptions.require(producers >= 1 && producers <= 1_000, "--producers is 1 to 1000");
    PutsBench.Plan plan =
        new PutsBench.Plan(rate, seconds, newConnections, producers, new NodeShape(1, node));
    boolean kept = new PutsBench(invocation, plan).run();
    return (kept ? ExitCode.OK : ExitCode.FAILED).code();
  }
}
