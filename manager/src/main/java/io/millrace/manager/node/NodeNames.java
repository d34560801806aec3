package io.millrace.manager.node;

import io.millrace.api.node.NodeStanding;
import io.millrace.api.problem.ErrorCode;
import io.millrace.api.problem.MillraceException;
import io.millrace.manager.node.store.NodeRow;
import java.time.Instant;

/** When the name of a node passes to another one. Pure. */
final class NodeNames {
  private NodeNames() {}

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
