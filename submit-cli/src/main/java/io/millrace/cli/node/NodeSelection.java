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

  /** The kind of the node with this name, as one central manager sees it. */
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
        "there is both a queue node and an execution node named %s; specify the kind".formatted(name));
    return queue ? NodeKind.QUEUE : NodeKind.EXECUTION;
  }

  /** Runs the action for the kind of the node and prints the result. */
  void run(
      Invocation invocation, Supplier<QueueNodeView> queue, Supplier<ExecutionNodeView> execution) {
    if (kind(invocation) == NodeKind.QUEUE) {
      QueueNodeView node = queue.get();
      print(invocation, node, "queue", node.name(), NodeFormatter.status(node, invocation.now()));
    } else {
      ExecutionNodeView node = execution.get();
      print(
          invocation, node, "execution", node.name(), NodeFormatter.status(node, invocation.now()));
    }
  }

  private static void print(
      Invocation invocation, Object node, String kind, String name, String status) {
    invocation.report(node, kind + " node " + name + " is " + (status == null ? "active" : status));
  }

  /** Kind of a node, in case both kinds have one of that name. */
  private enum NodeKind {
    QUEUE,
    EXECUTION
  }
}
