package io.millrace.cli.node;

import io.millrace.api.node.ExecutionNodeView;
import io.millrace.api.queue.QueueNodeView;
import io.millrace.api.weight.BalancingDecisionView;
import io.millrace.cli.invocation.Invocation;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

@Command(
    name = "show",
    description = "Shows all about a node: load and state and why, segments or room for jobs.",
    footer = {"", "Example:", "  millrace node show q1"})
final class ShowCommand implements Callable<Integer> {
  private static final int DECISIONS = 10;

  private final Invocation invocation;

  @Parameters(paramLabel = "NAME", description = "The node.")
  private String name;

  ShowCommand(Invocation invocation) {
    this.invocation = invocation;
  }

  @Override
  public Integer call() {
    Nodes nodes = Nodes.of(invocation.central().overview());
    Optional<QueueNodeView> queueNode = nodes.queueNode(name);
    if (queueNode.isPresent()) {
      show(nodes, queueNode.get());
      return 0;
    }
    show(nodes, nodes.executionNode(name).orElseThrow(() -> Nodes.unknown(name)));
    return 0;
  }

  private void show(Nodes nodes, QueueNodeView node) {
    if (invocation.json()) {
      invocation.terminal().json(node);
      return;
    }
    List<BalancingDecisionView> decisions =
        invocation.central().balancingDecisions(null, name, DECISIONS);
    invocation
        .terminal()
        .lines(
            new QueueNodeDescription(nodes, node, decisions, invocation.now(), invocation.palette())
                .lines());
  }

  private void show(Nodes nodes, ExecutionNodeView node) {
    if (invocation.json()) {
      invocation.terminal().json(node);
    } else {
      invocation
          .terminal()
          .lines(
              new ExecutionNodeDescription(nodes, node, invocation.now(), invocation.palette())
                  .lines());
    }
  }
}
