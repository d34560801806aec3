package io.millrace.manager.node;

import io.millrace.api.node.NodeStanding;
import io.millrace.api.problem.ErrorCode;
import io.millrace.api.problem.MillraceException;
import io.millrace.manager.node.store.NodeRow;
import java.time.Instant;
import java.util.regex.Pattern;

/** Names of nodes: how they look and when one passes to another node. Pure. */
final class NodeNames {
  private static final Pattern NAME =
      Pattern.compile("[A-Za-z0-9]([A-Za-z0-9._-]{0,98}[A-Za-z0-9])?");

  private NodeNames() {}

  static void check(String name) {
    if (name == null || !NAME.matcher(name).matches()) {
      throw new MillraceException(
          ErrorCode.INVALID_REQUEST,
          "name: '" + name + "' is no node name; use letters, digits, '.', '_' and '-'");
    }
  }

  /** Whether somebody still answers to the name. */
  static boolean held(NodeRow holder, Instant now) {
    return holder.standing() == NodeStanding.EMPLOYED && holder.leaseUntil().isAfter(now);
  }

  static MillraceException taken(NodeRow holder) {
    return new MillraceException(
        ErrorCode.CONFLICT,
        "the name "
            + holder.name()
            + " belongs to node "
            + holder.id()
            + " at "
            + holder.address()
            + ", which is alive; give this node another name, or stop the other one and wait"
            + " until its lease is over");
  }
}
