package io.millrace.cli.node;

import io.millrace.api.node.ExecutionNodeView;
import io.millrace.api.queue.QueueNodeView;
import io.millrace.cli.invocation.Invocation;
import io.millrace.cli.invocation.Refusal;
import java.util.function.Supplier;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * What the commands that change a node's status have in common: which node is meant, and telling
 * what became of it. Filled by the parser.
 */
final class NodeSelection {
  @Parameters(paramLabel = "NAME", description = "Name of the node.")
  private String name;

  @Option(
      names = "--kind",
      description = "Kind of the node, queue or execution, if both kinds have a node of that name.")
  private NodeKind kind;

  String name() {
    return name;
  }

  /** Which kind of node the name means, as one central manager sees it. */
  NodeKind kind(Invocation invocation) {
    if (kind != null) {
      return kind;
    }
    Nodes nodes = Nodes.of(invocation.central().overview());
    boolean queue = nodes.queueNode(name).isPresent();
    boolean execution = nodes.executionNode(name).isPresent();
    if (!queue && !execution) {
      throw Nodes.unknown(name);
    }
    Refusal.unless(
        !(queue && execution),
        "--kind",
        "a queue node and an execution node are called " + name + "; say which is meant");
    return queue ? NodeKind.QUEUE : NodeKind.EXECUTION;
  }

  /** Does what fits the kind of node, and tells of it. */
  void run(
      Invocation invocation, Supplier<QueueNodeView> queue, Supplier<ExecutionNodeView> execution) {
    if (kind(invocation) == NodeKind.QUEUE) {
      QueueNodeView node = queue.get();
      tell(invocation, node, "queue", node.name(), NodeFormatter.status(node, invocation.now()));
    } else {
      ExecutionNodeView node = execution.get();
      tell(
          invocation, node, "execution", node.name(), NodeFormatter.status(node, invocation.now()));
    }
  }

  private static void tell(
      Invocation invocation, Object node, String kind, String name, String status) {
    invocation.report(node, kind + " node " + name + " is " + (status == null ? "active" : status));
  }

  /** What kind of node is meant where both have one of that name. */
  private enum NodeKind {
    QUEUE,
    EXECUTION
  }
}
