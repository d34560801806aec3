package io.millrace.cli.node;

import io.millrace.api.node.NodeCommand;
import io.millrace.api.overview.QueueNodeView;
import io.millrace.cli.invocation.Invocation;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "drain",
    description = "Makes a queue node give all its weight away and take none.",
    footer = {"", "Example:", "  millrace node drain q3 --reason 'new disk'"})
final class DrainCommand implements Callable<Integer> {
  private final Invocation invocation;

  @Parameters(paramLabel = "NAME", description = "The queue node.")
  private String name;

  @Option(names = "--reason", paramLabel = "TEXT", description = "Why, for others to read.")
  private String reason;

  DrainCommand(Invocation invocation) {
    this.invocation = invocation;
  }

  @Override
  public Integer call() {
    QueueNodeView node =
        Steering.of(
            invocation,
            name,
            () -> invocation.central().drain(name, new NodeCommand(null, reason)));
    Steering.tell(invocation, node);
    return 0;
  }
}
