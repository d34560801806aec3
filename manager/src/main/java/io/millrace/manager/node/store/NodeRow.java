package io.millrace.manager.node.store;

import io.millrace.api.node.NodeStanding;
import io.millrace.manager.node.NodeKind;
import java.net.URI;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * One registered node.
 *
 * @param id its own id, for life
 * @param name unique in the cluster
 * @param kind what it does
 * @param address where its API answers
 * @param standing employed or retired
 * @param heardAt its last heartbeat, by the database's clock
 * @param leaseUntil when it counts as silent
 * @param report what it said last; null for nothing
 * @param slots of execution nodes; 0 for others
 * @param accepting whether it takes new attempts
 * @param pools of execution nodes; empty for others
 * @param attributes of execution nodes; empty for others
 */
public record NodeRow(
    UUID id,
    String name,
    NodeKind kind,
    URI address,
    NodeStanding standing,
    Instant heardAt,
    Instant leaseUntil,
    String report,
    int slots,
    boolean accepting,
    List<String> pools,
    Map<String, String> attributes) {
  /** The attribute that names the queue node that an execution node stands beside. */
  public static final String NEAR = "near";

  public NodeRow {
    pools = List.copyOf(pools);
    attributes = Map.copyOf(attributes);
  }

  /** The queue node that it stands beside; null for none. */
  public String near() {
    return attributes.get(NEAR);
  }
}
