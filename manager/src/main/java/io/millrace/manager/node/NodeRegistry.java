package io.millrace.manager.node;

import io.millrace.api.name.Names;
import io.millrace.api.problem.ErrorCode;
import io.millrace.manager.job.AttemptEnd;
import io.millrace.manager.job.NodeAttempts;
import io.millrace.manager.job.store.DatabaseTime;
import io.millrace.manager.node.store.ExclusiveStore;
import io.millrace.manager.node.store.NodeRow;
import io.millrace.manager.node.store.NodeStore;
import io.millrace.platform.database.Database;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jdbi.v3.core.Handle;

/**
 * The nodes of the cluster with their leases (M-05 to M-07). Thread-safe; every method blocks on
 * the database.
 */
public final class NodeRegistry {
  private final Database database;
  private final DatabaseTime time;
  private final NodeStore nodes = new NodeStore();
  private final ExclusiveStore exclusives = new ExclusiveStore();
  private final NodeAttempts attempts;

  public NodeRegistry(Database database, NodeAttempts attempts) {
    this.database = database;
    this.time = new DatabaseTime(database.dialect());
    this.attempts = attempts;
  }

  /**
   * Registers a queue node or load balancer, or renews its lease and address; a retired one is
   * employed again (M-06).
   *
   * @param report what it says, as JSON; null for nothing
   * @throws io.millrace.api.problem.MillraceException CONFLICT when another live node has the name
   */
  public void renew(
      NodeKind kind, UUID id, String name, URI address, String report, Duration lease) {
    database.transaction(
        handle -> {
          Instant now = time.now(handle);
          NodeRow node = NodeRow.heard(id, name, kind, address, report, now, lease);
          enter(handle, node, now);
          return null;
        });
  }

  /** The same, without a report. */
  public void renew(NodeKind kind, UUID id, String name, URI address, Duration lease) {
    renew(kind, id, name, address, null, lease);
  }

  /** Nodes of a kind, employed or retired, by name. */
  public List<RegisteredNode> nodes(NodeKind kind) {
    return database.read(
        handle -> {
          Instant now = time.now(handle);
          return nodes.list(handle, kind).stream().map(node -> registered(node, now)).toList();
        });
  }

  /**
   * Writes a node's row, taking over its name from a node that is gone.
   *
   * @throws io.millrace.api.problem.MillraceException CONFLICT when another live node has the name
   */
  void enter(Handle handle, NodeRow node, Instant now) {
    Names.require("name", node.name(), ErrorCode.INVALID_REQUEST);
    nodes
        .lockByName(handle, node.name())
        .filter(holder -> !holder.id().equals(node.id()))
        .ifPresent(holder -> evict(handle, holder, now));
    if (nodes.lock(handle, node.id()).isPresent()) {
      nodes.update(handle, node);
    } else {
      nodes.insert(handle, node);
    }
  }

  private void evict(Handle handle, NodeRow holder, Instant now) {
    if (NodeNames.held(holder, now)) {
      throw NodeNames.taken(holder);
    }
    if (!exclusives.of(handle, holder.id()).isEmpty()) {
      throw NodeNames.mayStillRun(holder);
    }
    attempts.endAll(handle, holder.id(), AttemptEnd.lost("node " + holder.name() + " lost"), now);
    nodes.delete(handle, holder.id());
  }

  private static RegisteredNode registered(NodeRow node, Instant now) {
    return new RegisteredNode(
        node.id(),
        node.name(),
        node.kind(),
        node.address(),
        node.standing(),
        silentSeconds(node, now),
        node.report());
  }

  static double silentSeconds(NodeRow node, Instant now) {
    return Math.max(0, Duration.between(node.heardAt(), now).toMillis() / 1000.0);
  }
}
