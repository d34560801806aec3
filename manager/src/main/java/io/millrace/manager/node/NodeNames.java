package io.millrace.manager.node;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.platform.identity.NodeIdentity;
import java.time.Instant;

/** Rules for when a name may be taken over from another node. Pure. */
final class NodeNames {
  private NodeNames() {}

  /** Whether the holder of the name is still alive. */
  static boolean held(NodeRow holder, Instant now) {
    return !holder.lost() && !leaseExpired(holder, now);
  }

  /**
   * Whether the lease has expired, or is longer than possible because the database's clock has
   * stepped back since; a live node renews it at once.
   */
  static boolean leaseExpired(NodeRow node, Instant now) {
    Instant latest = now.plus(node.lease().multipliedBy(2));
    return !node.leaseUntil().isAfter(now) || node.leaseUntil().isAfter(latest);
  }

  /**
   * A node keeps its id, name and kind as long as its row exists: a sender of another node's id
   * must not change that node's row, nor learn its newest request.
   *
   * @throws MillraceException CONFLICT when the row belongs to another node
   */
  static void requireSameNode(NodeRow row, NodeRow sender) {
    if (!row.name().equals(sender.name()) || row.kind() != sender.kind()) {
      throw new MillraceException(
          ErrorCode.CONFLICT,
          "the node ID %s belongs to another node; start this one under the name with which its data directory was used before, or delete node-id in the directory so that %s gets a new ID"
              .formatted(sender.id(), sender.name()));
    }
  }

  /**
   * A machine that joins with the ID of its data directory is the node that was registered with it.
   *
   * @throws MillraceException CONFLICT when that node has another name
   */
  static void requireSameName(NodeRow row, NodeIdentity sender) {
    if (!row.name().equals(sender.name())) {
      throw new MillraceException(
          ErrorCode.CONFLICT,
          "the data directory of %s was used by node %s (ID %s); join with --name %s, or use another data directory"
              .formatted(sender.name(), row.name(), sender.id(), row.name()));
    }
  }

  static MillraceException taken(NodeRow holder) {
    return new MillraceException(
        ErrorCode.CONFLICT,
        "the name %s belongs to node %s%s, which is alive; give this node another name, or stop the other one and wait until its lease has expired"
            .formatted(
                holder.name(),
                holder.id(),
                holder.address() == null ? "" : " at " + holder.address()));
  }

  /** The answer to a successor while a single instance may still run on the previous node. */
  static MillraceException mayStillRun(NodeRow holder) {
    return new MillraceException(
        ErrorCode.CONFLICT,
        "the name %s belongs to node %s, which is silent; single-instance jobs may still run there until their failover time has passed; the name is free after that"
            .formatted(holder.name(), holder.id()));
  }
}
