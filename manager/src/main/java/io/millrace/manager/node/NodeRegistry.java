package io.millrace.manager.node;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.Names;
import io.millrace.api.NodeStatus;
import io.millrace.api.job.AttemptResult;
import io.millrace.api.node.RequestNumber;
import io.millrace.manager.job.NodeAttempts;
import io.millrace.manager.node.ExclusiveDao.Exclusive;
import io.millrace.manager.node.IdentityDao.IdentityRow;
import io.millrace.manager.node.RequestedStatusDao.RequestedStatus;
import io.millrace.platform.database.Database;
import io.millrace.platform.database.DatabaseTime;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jdbi.v3.core.Handle;

/**
 * The nodes of the cluster with their leases (M-05 to M-07). Thread-safe; every method blocks on
 * the database.
 */
public final class NodeRegistry {
  private final Database database;
  private final DatabaseTime time;
  private final NodeDao nodes = new NodeDao();
  private final RequestedStatusDao statuses = new RequestedStatusDao();
  private final NewNodeDrainDao newNodes = new NewNodeDrainDao();
  private final ExclusiveDao exclusives = new ExclusiveDao();
  private final NodeAttempts attempts;

  public NodeRegistry(Database database, NodeAttempts attempts) {
    this.database = database;
    this.time = new DatabaseTime(database.dialect());
    this.attempts = attempts;
  }

  /**
   * Registers a queue node or load balancer, or renews its lease and address; a lost one becomes
   * active again (M-06).
   *
   * @param report its report, as JSON; null for none
   * @param request the report's number among the node's requests
   * @throws io.millrace.api.MillraceException CONFLICT when another live node has the name,
   *     STALE_REQUEST when a newer report was accepted
   */
  public void renew(
      NodeKind kind,
      UUID id,
      String name,
      URI address,
      String report,
      RequestNumber request,
      Duration lease) {
    database.transaction(
        handle -> {
          Instant now = time.now(handle);
          NodeRow node = NodeRow.heard(id, name, kind, address, report, request, now, lease);
          return enter(handle, node, now);
        });
  }

  /**
   * A load balancer stops. Its row stays for a while without a report, so that an older report that
   * arrives late does not bring it back.
   *
   * @param request the number of the request; a repetition changes nothing
   * @throws MillraceException UNKNOWN_NODE if there is no such balancer, STALE_REQUEST when a newer
   *     report was accepted
   */
  public void leave(UUID id, RequestNumber request) {
    database.transaction(
        handle -> {
          NodeRow node =
              nodes
                  .lock(handle, id)
                  .filter(row -> row.kind() == NodeKind.BALANCER)
                  .orElseThrow(() -> unknown(id));
          RequestSequence.requireNotOlder(node, nodes.ordered(handle, id), request);
          if (RequestSequence.isNew(node, request)) {
            nodes.left(handle, id, time.now(handle));
            nodes.took(handle, id, request);
          }
          return null;
        });
  }

  private static MillraceException unknown(UUID id) {
    return new MillraceException(
        ErrorCode.UNKNOWN_NODE, "no load balancer with the ID " + id + " has reported");
  }

  /** Nodes of a kind, active or lost, by name. */
  public List<RegisteredNode> nodes(NodeKind kind) {
    return database.read(
        handle -> {
          Instant now = time.now(handle);
          return nodes.list(handle, kind).stream().map(node -> registered(node, now)).toList();
        });
  }

  /**
   * Writes a node's row, taking over its name from a node that no longer exists.
   *
   * @return false if the row's request was accepted before: then nothing is changed
   * @throws io.millrace.api.MillraceException CONFLICT when another live node has the name, or the
   *     id is that of another node; STALE_REQUEST when a newer request of the node was accepted;
   *     INVALID_REQUEST when its incarnation lies in the future
   */
  boolean enter(Handle handle, NodeRow node, Instant now) {
    Names.require("name", node.name(), ErrorCode.INVALID_REQUEST);
    Optional<NodeRow> before = nodes.lock(handle, node.id());
    before.ifPresent(row -> NodeNames.requireSameNode(row, node));
    if (before.isEmpty() || node.request().incarnation() > before.get().request().incarnation()) {
      // An accepted incarnation stays valid when the database's clock is set back.
      RequestSequence.requirePlausible(node, now);
    }
    // A poll that was given orders may be newer than the request in the row.
    before.ifPresent(
        row ->
            RequestSequence.requireNotOlder(row, nodes.ordered(handle, node.id()), node.request()));
    if (before.isPresent() && !RequestSequence.isNew(before.get(), node.request())) {
      if (before.get().lost()) {
        // It has been lost since then: the sender has to register again.
        throw RequestSequence.stale(before.get(), before.get().request(), node.request());
      }
      return false;
    }
    nodes
        .lockByName(handle, node.name())
        .filter(holder -> !holder.id().equals(node.id()))
        .ifPresent(holder -> evict(handle, holder, now));
    if (before.isPresent()) {
      nodes.update(handle, node);
    } else {
      nodes.insert(handle, node);
      if (node.kind() == NodeKind.EXECUTION) {
        newNodes
            .reason(handle)
            .map(reason -> new RequestedStatus(NodeStatus.DRAINING, null, reason))
            .ifPresent(drained -> statuses.write(handle, node.id(), drained));
      }
    }
    return true;
  }

  private void evict(Handle handle, NodeRow holder, Instant now) {
    boolean withdrawn =
        IdentityDao.find(handle, holder.id()).filter(IdentityRow::withdrawn).isPresent();
    if (!withdrawn && NodeNames.held(holder, now)) {
      throw NodeNames.taken(holder);
    }
    if (exclusives.of(handle, holder.id()).stream().anyMatch(Exclusive::offered)) {
      throw NodeNames.mayStillRun(holder);
    }
    attempts.endAll(
        handle, holder.id(), AttemptResult.lost("node " + holder.name() + " lost"), now);
    nodes.delete(handle, holder.id());
  }

  private static RegisteredNode registered(NodeRow node, Instant now) {
    return new RegisteredNode(
        node.id(),
        node.name(),
        node.kind(),
        node.address(),
        node.lost(),
        silentSeconds(node, now),
        node.report());
  }

  static double silentSeconds(NodeRow node, Instant now) {
    return Math.max(0, Duration.between(node.heardAt(), now).toMillis() / 1000.0);
  }

  /**
   * A node of any kind as recorded in the database.
   *
   * @param id its permanent id
   * @param name unique in the cluster
   * @param kind what it does
   * @param address where its API answers
   * @param lost its lease expired, or it was stopped
   * @param silentSeconds since its last heartbeat or report, by the database's clock
   * @param report its last report, as JSON; null if its kind sends none, or it has left in order
   */
  public record RegisteredNode(
      UUID id,
      String name,
      NodeKind kind,
      URI address,
      boolean lost,
      double silentSeconds,
      String report) {
    /** Whether it has sent a heartbeat within its lease. */
    public boolean employed() {
      return !lost;
    }
  }
}
