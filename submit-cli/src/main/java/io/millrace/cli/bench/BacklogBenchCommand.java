package io.millrace.cli.bench;

import io.millrace.cli.invocation.ExitCode;
import io.millrace.cli.invocation.Invocation;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code millrace bench backlog}. */
@Command(
    name = "backlog",
    description = "Heap and put rate of a node that holds many waiting events.",
    footer = {
      "",
      "Puts the events without a consumer. The rate of the last tenth is compared with that of the",
      "first; the heap is what the node's live objects take after a collection.",
      "",
      "Example:",
      "  millrace bench backlog --events 5000000 --heap 512m"
    })
final class BacklogBenchCommand implements Callable<Integer> {
  private final Invocation invocation;

  @Mixin private NodeOptions node;

  @Option(names = "--events", defaultValue = "5000000", description = "Waiting events.")
  private int events;

  @Option(names = "--batch", defaultValue = "100", description = "Events in a request.")
  private int batch;

  @Option(names = "--producers", defaultValue = "4", description = "Producers at once.")
  private int producers;

  BacklogBenchCommand(Invocation invocation) {
    this.invocation = invocation;
  }

  @Override
  public Integer call() throws Exception {
    NodeOptions.require(events >= 1_000, "--events is at least 1000");
    NodeOptions.require(batch >= 1 && batch <= 10_000, "--batch is 1 to 10000");
    NodeOptions.require(producers >= 1, "--producers is at least 1");
    BacklogBench.Plan plan =
        new BacklogBench.Plan(events, batch, producers, new NodeShape(1, node));
    new BacklogBench(invocation, plan).run();
    return ExitCode.OK.code();
  }
}
