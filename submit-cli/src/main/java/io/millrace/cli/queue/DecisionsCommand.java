package io.millrace.cli.queue;

import io.millrace.cli.invocation.Invocation;
import io.millrace.cli.invocation.Refusal;
import io.millrace.cli.node.DecisionTable;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "decisions",
    description = "Lists why a queue's weight moved, newest first.",
    footer = {"", "Example:", "  millrace queue decisions alert"})
final class DecisionsCommand implements Callable<Integer> {
  private final Invocation invocation;

  @Parameters(paramLabel = "NAME", description = "The queue.")
  private String queue;

  @Option(
      names = "--limit",
      defaultValue = "20",
      description = "At most so many (default: ${DEFAULT-VALUE}).")
  private int limit;

  DecisionsCommand(Invocation invocation) {
    this.invocation = invocation;
  }

  @Override
  public Integer call() {
    Refusal.outside("--limit", limit, 1, 1000);
    DecisionTable.print(invocation, invocation.central().balancingDecisions(queue, null, limit));
    return 0;
  }
}
