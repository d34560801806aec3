package io.millrace.api.queue;

import com.fasterxml.jackson.annotation.JsonAlias;
import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonInclude;
import io.millrace.api.NodeStatus;
import io.millrace.api.queue.QueueDefinition.VersionedQueue;
import java.net.URI;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;

/**
 * What queue nodes and load balancers follow: definitions, weight rows, registered nodes and what
 * operators have paused, under one version.
 *
 * @param version changes with any change; opaque
 * @param queues every queue with the version of its definition
 * @param weights weight rows; a queue without one has no segments yet
 * @param nodes registered queue nodes; without those whose identity was withdrawn, to which nothing
 *     is sent and from which nothing is taken
 * @param controls queues with something paused
 * @param broken queues whose workers fail on every event; meanwhile no failure is charged to an
 *     event
 * @param withdrawn ids of nodes whose identity was withdrawn and whose calls are refused
 * @param deletions queues that are being deleted, or were within the last weeks
 */
public record Topology(
    String version,
    List<VersionedQueue> queues,
    List<QueueWeights> weights,
    List<QueueNodeAddress> nodes,
    List<QueueControl> controls,
    List<String> broken,
    List<UUID> withdrawn,
    List<QueueDeletion> deletions) {
  public Topology {
    nodes = valid(nodes, withdrawn);
    controls = controls == null ? List.of() : List.copyOf(controls);
    broken = broken == null ? List.of() : List.copyOf(broken);
    withdrawn = withdrawn == null ? List.of() : List.copyOf(withdrawn);
    deletions = deletions == null ? List.of() : List.copyOf(deletions);
  }

  private static List<QueueNodeAddress> valid(List<QueueNodeAddress> nodes, List<UUID> withdrawn) {
    if (nodes == null || withdrawn == null || withdrawn.isEmpty()) {
      return nodes;
    }
    Set<UUID> refused = new HashSet<>(withdrawn);
    return nodes.stream().filter(node -> !refused.contains(node.id())).toList();
  }

  /** Where the queue nodes' parts of the cluster view are reached. */
  @JsonIgnore
  public List<String> members() {
    return nodes == null
        ? List.of()
        : nodes.stream().map(QueueNodeAddress::member).filter(Objects::nonNull).toList();
  }

  /** The same with these deletions. */
  public Topology withDeletions(List<QueueDeletion> these) {
    return new Topology(version, queues, weights, nodes, controls, broken, withdrawn, these);
  }

  /** Without broken queues, withdrawn identities and deletions. */
  public Topology(
      String version,
      List<VersionedQueue> queues,
      List<QueueWeights> weights,
      List<QueueNodeAddress> nodes,
      List<QueueControl> controls) {
    this(version, queues, weights, nodes, controls, List.of(), List.of(), List.of());
  }

  /**
   * A queue node that the database knows.
   *
   * @param id the node's own id
   * @param name its name
   * @param address where its API answers
   * @param status that operators asked for: ACTIVE, DRAINING or MAINTENANCE
   * @param member where its part of the cluster view is reached, {@code host:port}; null while it
   *     is not
   * @param lost whether the central managers consider it lost: it serves nothing, and its points
   *     went to others
   */
  public record QueueNodeAddress(
      UUID id,
      String name,
      URI address,
      @JsonAlias("standing") NodeStatus status,
      String member,
      @JsonInclude(JsonInclude.Include.NON_DEFAULT) boolean lost) {
    public QueueNodeAddress {
      status = status == null ? NodeStatus.ACTIVE : status;
    }

    /** A node whose part of the cluster view is not reached. */
    public QueueNodeAddress(UUID id, String name, URI address, NodeStatus status) {
      this(id, name, address, status, null, false);
    }

    /** A node that is not lost. */
    public QueueNodeAddress(UUID id, String name, URI address, NodeStatus status, String member) {
      this(id, name, address, status, member, false);
    }
  }
}
