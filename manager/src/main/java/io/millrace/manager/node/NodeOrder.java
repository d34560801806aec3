package io.millrace.manager.node;

import io.millrace.api.node.NodeDuty;
import java.time.Instant;

/**
 * What operators want of a node. Pure.
 *
 * @param duty as it was told
 * @param until when a maintenance is over, or a draining stops what still runs; null for never
 * @param reason for people; null if not said
 */
public record NodeOrder(NodeDuty duty, Instant until, String reason) {
  /** Nothing special. */
  public static final NodeOrder NONE = new NodeOrder(NodeDuty.ACTIVE, null, null);

  /** The order as it stands at a moment of the database's clock: a maintenance ends by itself. */
  public NodeOrder at(Instant now) {
    boolean over = duty == NodeDuty.MAINTENANCE && until != null && !until.isAfter(now);
    return over ? NONE : this;
  }

  /** Whether the node's silence is expected at that moment. */
  public boolean excusesSilence(Instant now) {
    return at(now).duty() == NodeDuty.MAINTENANCE;
  }
}
