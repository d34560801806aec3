package io.millrace.cli.node;

import io.millrace.cli.invocation.Invocation;
import io.millrace.cli.invocation.Refusal;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "decisions",
    description = "Lists what was decided about weight and why, newest first.",
    footer = {"", "Examples:", "  millrace node decisions", "  millrace node decisions q1"})
final class DecisionsCommand implements Callable<Integer> {
  private final Invocation invocation;

  @Parameters(
      paramLabel = "NAME",
      arity = "0..1",
      description = "Only decisions that a node made, or that moved its points.")
  private String node;

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
    DecisionTable.print(invocation, invocation.central().balancingDecisions(null, node, limit));
    return 0;
  }
}
