package io.millrace.manager.node;

import io.millrace.api.node.ExecutionNodeState;
import java.net.URI;
import java.util.UUID;

/**
 * A node of any kind as the central store knows it.
 *
 * @param id its own id, for life
 * @param name unique in the cluster
 * @param kind what it does
 * @param address where its API answers
 * @param standing employed, or retired after its lease was over
 * @param silentSeconds since its last heartbeat or report, by the database's clock
 * @param report what it said last, as JSON; null when its kind says nothing
 */
public record RegisteredNode(
    UUID id,
    String name,
    NodeKind kind,
    URI address,
    ExecutionNodeState standing,
    double silentSeconds,
    String report) {
  /** Whether it is heard of within its lease. */
  public boolean employed() {
    return standing == ExecutionNodeState.EMPLOYED;
  }
}
