package io.millrace.manager.node;

import io.millrace.api.NodeStatus;
import io.millrace.api.node.NodeRegistration.NodeCapacity;
import io.millrace.api.node.RequestNumber;
import io.millrace.manager.node.RequestedStatusDao.RequestedStatus;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * One registered node.
 *
 * @param id its permanent id
 * @param name unique in the cluster
 * @param kind what it does
 * @param address where its API answers; null until it reports after a restoration
 * @param lost silent for longer than its lease, or stopped; it may register again
 * @param heardAt its last heartbeat, by the database's clock
 * @param leaseUntil when it counts as silent
 * @param report its last report; null for none
 * @param capacity of execution nodes; none for others
 * @param accepting whether it takes new attempts
 * @param pools of execution nodes; empty for others
 * @param attributes of execution nodes; empty for others
 * @param version of Millrace; null if unknown
 * @param clockOffsetMillis its clock minus the database's at its last poll; null if unknown
 * @param requestedStatus the status that operators requested
 * @param retiredAt since when it is lost; null while it is active
 * @param request the newest of its requests that was accepted
 */
@RecordBuilder
public record NodeRow(
    UUID id,
    String name,
    NodeKind kind,
    URI address,
    boolean lost,
    Instant heardAt,
    Instant leaseUntil,
    String report,
    NodeCapacity capacity,
    boolean accepting,
    List<String> pools,
    Map<String, String> attributes,
    String version,
    Long clockOffsetMillis,
    RequestedStatus requestedStatus,
    Instant retiredAt,
    RequestNumber request)
    implements NodeRowBuilder.With {
  /** The attribute that names the queue node on the host of an execution node. */
  public static final String NEAR = "near";

  public NodeRow {
    pools = List.copyOf(pools);
    attributes = Map.copyOf(attributes);
  }

  /** A node without slots that has just sent that request. */
  public static NodeRow heard(
      UUID id,
      String name,
      NodeKind kind,
      URI address,
      String report,
      RequestNumber request,
      Instant now,
      Duration lease) {
    return new NodeRow(
        id,
        name,
        kind,
        address,
        false,
        now,
        now.plus(lease),
        report,
        NodeCapacity.ofSlots(0),
        true,
        List.of(),
        Map.of(),
        null,
        null,
        RequestedStatus.NONE,
        null,
        request);
  }

  /** This node with what an execution node reports besides. */
  public NodeRow running(
      NodeCapacity offered, List<String> served, Map<String, String> described, String release) {
    return with(row -> row.capacity(offered).pools(served).attributes(described).version(release));
  }

  /** The queue node on the same host; null for none. */
  public String near() {
    return attributes.get(NEAR);
  }

  public int slots() {
    return capacity.slots();
  }

  /** The status that operators requested, at a moment of the database's clock. */
  public NodeStatus requested(Instant now) {
    return requestedStatus.at(now).status();
  }

  /** How long it may be silent before it counts as lost. */
  public Duration lease() {
    return Duration.between(heardAt, leaseUntil);
  }

  /** Whether jobs may be given to it at a moment of the database's clock. */
  public boolean takesJobs(Instant now) {
    return !lost && accepting && leaseUntil.isAfter(now) && requested(now) == NodeStatus.ACTIVE;
  }
}
