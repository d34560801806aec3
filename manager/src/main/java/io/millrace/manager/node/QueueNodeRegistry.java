package io.millrace.manager.node;

import io.millrace.api.ErrorCode;
import io.millrace.api.Json;
import io.millrace.api.MillraceException;
import io.millrace.api.NodeStatus;
import io.millrace.api.ShownText;
import io.millrace.api.node.RequestNumber;
import io.millrace.api.queue.QueueNodeReport;
import io.millrace.manager.node.KnownQueueNode.QueueNodeCondition;
import io.millrace.manager.node.QueueNodeDao.QueueNodeRow;
import io.millrace.platform.database.Database;
import io.millrace.platform.database.DatabaseTime;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.BiFunction;
import org.jdbi.v3.core.Handle;

/**
 * The queue nodes with their leases, their condition and the orders of operators. Thread-safe;
 * every method blocks on the database.
 */
public final class QueueNodeRegistry {
  private final Database database;
  private final DatabaseTime time;
  private final NodeRegistry registry;
  private final Duration lease;
  private final NodeDao nodes = new NodeDao();
  private final QueueNodeDao queueNodes = new QueueNodeDao();

  /**
   * Creates a registry.
   *
   * @param lease a node that does not report for that time is silent
   */
  public QueueNodeRegistry(Database database, NodeRegistry registry, Duration lease) {
    this.database = database;
    this.time = new DatabaseTime(database.dialect());
    this.registry = registry;
    this.lease = lease;
  }

  /**
   * Records a report, which renews the node's lease.
   *
   * @throws MillraceException STALE_REQUEST when a newer report was accepted
   */
  public void accept(QueueNodeReport report, RequestNumber request) {
    registry.renew(
        NodeKind.QUEUE,
        report.id(),
        report.name(),
        report.address(),
        Json.write(report),
        request,
        lease);
  }

  /** Every registered queue node that has not been removed, by name. */
  public List<KnownQueueNode> all() {
    return database.read(this::all);
  }

  /** Every registered queue node, in the caller's transaction. */
  public List<KnownQueueNode> all(Handle handle) {
    Instant now = time.now(handle);
    return queueNodes.list(handle).stream().map(row -> known(row, now)).toList();
  }

  /**
   * The queue node of that name.
   *
   * @throws MillraceException UNKNOWN_NODE
   */
  public KnownQueueNode require(String name) {
    return all().stream()
        .filter(node -> node.name().equals(name))
        .findFirst()
        .orElseThrow(() -> unknown(name));
  }

  /**
   * Records an order of operators for a node.
   *
   * @param duration how long it applies; null until the next order
   * @param reason human-readable reason; null for none
   * @throws MillraceException UNKNOWN_NODE
   */
  public void command(String name, NodeStatus status, Duration duration, String reason) {
    database.transaction(
        handle -> {
          QueueNodeRow row = queueNodes.lock(handle, name).orElseThrow(() -> unknown(name));
          Instant until = duration == null ? null : time.now(handle).plus(duration);
          queueNodes.command(handle, row.node().id(), status, until, reason);
          return null;
        });
  }

  /**
   * Removes a node from the registry.
   *
   * @param check what else is done in the transaction; throws if the node, whose row is locked,
   *     must not be removed
   * @return what that returned
   * @throws MillraceException UNKNOWN_NODE
   */
  public <T> T forget(String name, BiFunction<Handle, KnownQueueNode, T> check) {
    return database.transaction(
        handle -> {
          QueueNodeRow row = queueNodes.lock(handle, name).orElseThrow(() -> unknown(name));
          T done = check.apply(handle, known(row, time.now(handle)));
          nodes.delete(handle, row.node().id());
          return done;
        });
  }

  static MillraceException unknown(String name) {
    return new MillraceException(
        ErrorCode.UNKNOWN_NODE,
        "queue node '%s' is not registered; 'millrace node list' shows those that are"
            .formatted(ShownText.of(name)));
  }

  private static KnownQueueNode known(QueueNodeRow row, Instant now) {
    NodeRow node = row.node();
    boolean ended = row.dutyUntil() != null && !row.dutyUntil().isAfter(now);
    return new KnownQueueNode(
        node.id(),
        node.name(),
        node.address(),
        condition(row, now),
        row.withdrawn(),
        ended ? NodeStatus.ACTIVE : row.duty(),
        ended ? null : row.dutyUntil(),
        ended ? null : row.dutyReason(),
        NodeRegistry.silentSeconds(node, now),
        node.report());
  }

  private static QueueNodeCondition condition(QueueNodeRow row, Instant now) {
    if (row.lostAt() != null || row.withdrawn()) {
      return QueueNodeCondition.LOST;
    }
    return NodeNames.held(row.node(), now) ? QueueNodeCondition.LIVE : QueueNodeCondition.SILENT;
  }
}
