package io.millrace.manager.node;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.node.ExecutionNodeView;
import io.millrace.api.node.ExecutionNodeView.DenylistEntry;
import io.millrace.api.node.NodeStatus;
import io.millrace.manager.node.BookedDao.Booked;
import io.millrace.manager.job.BookedCapacityDao;
import io.millrace.manager.job.BookedCapacityDao.BookedCapacity;
import io.millrace.manager.node.ClockWatch.NodeClock;
import io.millrace.manager.node.NodeOrderDao.NodeOrder;
import io.millrace.platform.database.Database;
import io.millrace.platform.database.DatabaseTime;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jdbi.v3.core.Handle;

/** Execution nodes with what is booked on them. Thread-safe; blocks on the database. */
public final class ExecutionNodeViews {
  private final Database database;
  private final DatabaseTime time;
  private final NodeDao nodes = new NodeDao();
  private final BookedCapacityDao bookings = new BookedCapacityDao();
  private final NodeDenylist closures;

  public ExecutionNodeViews(Database database, NodeDenylist closures) {
    this.database = database;
    this.time = new DatabaseTime(database.dialect());
    this.closures = closures;
  }

  /** All execution nodes, lost ones included, by name. */
  public List<ExecutionNodeView> list() {
    return database.read(this::list);
  }

  /**
   * The execution node of that name.
   *
   * @throws MillraceException UNKNOWN_NODE
   */
  public ExecutionNodeView require(String name) {
    return list().stream()
        .filter(node -> node.name().equals(name))
        .findFirst()
        .orElseThrow(() -> unknown(name));
  }

  /** What employed execution nodes last said of their clocks. */
  public List<NodeClock> clocks() {
    return database.read(nodes::clocks);
  }

  static MillraceException unknown(String name) {
    return new MillraceException(
        ErrorCode.UNKNOWN_NODE,
        "no execution node '"
            + name
            + "' is registered; 'millrace node list' shows those that are");
  }

  private List<ExecutionNodeView> list(Handle handle) {
    Instant now = time.now(handle);
    Map<UUID, BookedCapacity> used = bookings.byNode(handle);
    Map<UUID, List<DenylistEntry>> closed = closures.byNode(handle);
    return nodes.list(handle, NodeKind.EXECUTION).stream()
        .map(
            node ->
                view(
                    node,
                    used.getOrDefault(node.id(), BookedCapacity.NOTHING),
                    closed.getOrDefault(node.id(), List.of()),
                    now))
        .toList();
  }

  /** A node that leaves as it was ordered to is not lost. */
  private static NodeStatus status(NodeRow node, NodeOrder order, Booked used) {
    if (order.status() == NodeStatus.MAINTENANCE) {
      return NodeStatus.MAINTENANCE;
    }
    if (order.status() == NodeStatus.DRAINING && used.attempts().isEmpty()) {
      return NodeStatus.DRAINED;
    }
    return node.lost() ? NodeStatus.LOST : order.status();
  }

  private static ExecutionNodeView view(
      NodeRow node, BookedCapacity used, List<DenylistEntry> closed, Instant now) {
    NodeOrder order = node.order().at(now);
    return new ExecutionNodeView(
        node.id(),
        node.name(),
        node.address(),
        status(node, order, used),
        node.capacity(),
        used.slots(),
        used.cpuMillis() / 1000.0,
        used.memoryBytes(),
        used.resources(),
        node.pools(),
        node.attributes(),
        NodeRegistry.silentSeconds(node, now),
        used.attempts(),
        node.accepting(),
        order.until(),
        order.reason(),
        closed,
        node.clockOffsetMillis(),
        node.version());
  }

  /** What definitions nodes are closed to, as the register shows it. */
  @FunctionalInterface
  public interface NodeDenylist {
    /** Nobody is closed to anything. */
    NodeDenylist NONE = handle -> Map.of();

    /** Closures that are not over, by node. */
    Map<UUID, List<DenylistEntry>> byNode(Handle handle);
  }
}
