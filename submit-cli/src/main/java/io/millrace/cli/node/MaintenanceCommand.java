package io.millrace.cli.node;

import io.millrace.api.client.CentralClient;
import io.millrace.api.node.NodeCommand;
import io.millrace.cli.invocation.Invocation;
import io.millrace.cli.invocation.Refusal;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
    name = "maintenance",
    description = {
      "Announces that a node is away for a while. A queue node keeps its weight; an execution",
      "node takes no new jobs, and what it runs is not given up meanwhile."
    },
    footer = {
      "",
      "Examples:",
      "  millrace node maintenance q3 --for 5m --reason 'kernel update'",
      "  millrace node maintenance e1 --for 2m"
    })
final class MaintenanceCommand implements Callable<Integer> {
  private final Invocation invocation;

  @Mixin private final Steering steering = new Steering();

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
    Refusal.unless(
        !duration.isZero() && !duration.isNegative(), "--for", "use more than 0, such as 5m");
    CentralClient central = invocation.central();
    String name = steering.name();
    NodeCommand command = new NodeCommand(duration, reason);
    steering.run(
        invocation,
        () -> central.maintain(name, command),
        () -> central.maintainExecution(name, command));
    return 0;
  }
}
