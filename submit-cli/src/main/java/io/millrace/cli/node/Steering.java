package io.millrace.cli.node;

import io.millrace.api.overview.QueueNodeView;
import io.millrace.api.problem.ErrorCode;
import io.millrace.api.problem.MillraceException;
import io.millrace.cli.invocation.Invocation;
import io.millrace.cli.output.Escaping;
import java.util.function.Supplier;

/** What the commands that change a queue node's standing have in common. */
final class Steering {
  private Steering() {}

  /** Does it, with words that help when the name is not that of a queue node. */
  static QueueNodeView of(Invocation invocation, String name, Supplier<QueueNodeView> command) {
    try {
      return command.get();
    } catch (MillraceException e) {
      if (e.code() != ErrorCode.UNKNOWN_NODE) {
        throw e;
      }
      throw isExecutionNode(invocation, name) ? notYet(name) : e;
    }
  }

  static void tell(Invocation invocation, QueueNodeView node) {
    if (invocation.json()) {
      invocation.terminal().json(node);
      return;
    }
    String standing = NodeWords.standing(node, invocation.now());
    String words = "queue node " + node.name() + " is " + (standing == null ? "active" : standing);
    invocation.terminal().line(Escaping.text(words));
  }

  private static boolean isExecutionNode(Invocation invocation, String name) {
    return Nodes.of(invocation.central().overview()).executionNode(name).isPresent();
  }

  private static MillraceException notYet(String name) {
    return new MillraceException(
        ErrorCode.INVALID_REQUEST,
        name
            + " is an execution node, and only queue nodes are drained so far; to take it out of"
            + " service stop its process: its jobs go to other nodes");
  }
}
