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
    name = "drain",
    description = {
      "Takes a node out of service until 'undrain'. A queue node gives all its weight away and",
      "takes none; an execution node takes no new jobs, and finishes what runs."
    },
    footer = {
      "",
      "Examples:",
      "  millrace node drain q3 --reason 'new disk'",
      "  millrace node drain e1 --deadline 10m      what still runs then runs elsewhere"
    })
final class DrainCommand implements Callable<Integer> {
  private final Invocation invocation;

  @Mixin private final Steering steering = new Steering();

  @Option(
      names = "--deadline",
      paramLabel = "TIME",
      description = "What an execution node still runs after that is stopped and runs elsewhere.")
  private Duration deadline;

  @Option(names = "--reason", paramLabel = "TEXT", description = "Why, for others to read.")
  private String reason;

  DrainCommand(Invocation invocation) {
    this.invocation = invocation;
  }

  @Override
  public Integer call() {
    Refusal.unless(
        deadline == null || !deadline.isNegative(), "--deadline", "use 0s or more, such as 10m");
    CentralClient central = invocation.central();
    String name = steering.name();
    steering.run(
        invocation,
        () -> {
          Refusal.unless(
              deadline == null,
              "--deadline",
              name + " is a queue node, which drains until it is empty; leave it out");
          return central.drain(name, new NodeCommand(null, reason));
        },
        () -> central.drainExecution(name, new NodeCommand(deadline, reason)));
    return 0;
  }
}
