package io.millrace.cli.node;

import io.millrace.api.node.NodeCommand;
import io.millrace.api.overview.QueueNodeView;
import io.millrace.cli.invocation.Invocation;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "maintenance",
    description = "Announces that a queue node is away for a while: it keeps its weight.",
    footer = {"", "Example:", "  millrace node maintenance q3 --for 5m --reason 'kernel update'"})
final class MaintenanceCommand implements Callable<Integer> {
  private final Invocation invocation;

  @Parameters(paramLabel = "NAME", description = "The queue node.")
  private String name;

  @Option(
      names = "--for",
      required = true,
      paramLabel = "TIME",
      description = "How long, such as 5m; after that it may be counted as lost.")
  private Duration duration;

  @Option(names = "--reason", paramLabel = "TEXT", description = "Why, for others to read.")
  private String reason;

  MaintenanceCommand(Invocation invocation) {
    this.invocation = invocation;
  }

  @Override
  public Integer call() {
    QueueNodeView node =
        Steering.of(
            invocation,
            name,
            () -> invocation.central().maintain(name, new NodeCommand(duration, reason)));
    Steering.tell(invocation, node);
    return 0;
  }
}
