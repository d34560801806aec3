package io.millrace.manager.node;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import java.time.Instant;

/** When the name of a node passes to another one. Pure. */
final class NodeNames {
  private NodeNames() {}

  /** Whether somebody still answers to the name. */
  static boolean held(NodeRow holder, Instant now) {
    return !holder.lost() && !leaseIsOver(holder, now);
  }

  /**
   * Whether the lease is over, or longer than it can be because the database's clock has stepped
   * back since; a living node renews it at once.
   */
  static boolean leaseIsOver(NodeRow node, Instant now) {
    Instant latest = now.plus(node.lease().multipliedBy(2));
    return !node.leaseUntil().isAfter(now) || node.leaseUntil().isAfter(latest);
  }

  /**
   * A node keeps its id, name and kind for as long as its row lives: whoever sends another node's
   * id must not change that node's row, nor learn its newest request.
   *
   * @throws MillraceException CONFLICT when the row is another node's
   */
  static void requireSameNode(NodeRow row, NodeRow sender) {
    if (!row.name().equals(sender.name()) || row.kind() != sender.kind()) {
      throw new MillraceException(
          ErrorCode.CONFLICT,
          "the id %s belongs to another node; start this one under the name that its data directory was used with, or delete node-id in the directory so that %s gets an id of its own"
              .formatted(sender.id(), sender.name()));
    }
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

  /** The answer to a successor while a single instance of the one before may still run there. */
  static MillraceException mayStillRun(NodeRow holder) {
    return new MillraceException(
        ErrorCode.CONFLICT,
        "the name "
            + holder.name()
            + " belongs to node "
            + holder.id()
            + ", which is silent; single-instance jobs may still run there until their failover"
            + " time is over, and the name is free after that");
  }
}
