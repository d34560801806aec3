package io.millrace.manager.node;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.NodeStatus;
import io.millrace.api.ShownText;
import io.millrace.api.node.ExecutionNodeView;
import io.millrace.api.node.ExecutionNodeView.DenylistEntry;
import io.millrace.manager.job.BookedCapacityDao;
import io.millrace.manager.job.BookedCapacityDao.BookedCapacity;
import io.millrace.manager.node.ClockWatch.NodeClock;
import io.millrace.manager.node.RequestedStatusDao.RequestedStatus;
import io.millrace.platform.database.Database;
import io.millrace.platform.database.DatabaseTime;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jdbi.v3.core.Handle;

/** Shows execution nodes with what is booked on them. Thread-safe; blocks on the database. */
public final class ExecutionNodeViews {
  private final Database database;
  private final DatabaseTime time;
  private final NodeDao nodes = new NodeDao();
  private final BookedCapacityDao bookings = new BookedCapacityDao();
  private final NodeDenylist denylist;

  public ExecutionNodeViews(Database database, NodeDenylist denylist) {
    this.database = database;
    this.time = new DatabaseTime(database.dialect());
    this.denylist = denylist;
  }

  /** The denials that it shows. */
  NodeDenylist denylist() {
    return denylist;
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

  /** The clocks that active execution nodes last reported. */
  public List<NodeClock> clocks() {
    return database.read(nodes::clocks);
  }

  static MillraceException unknown(String name) {
    return new MillraceException(
        ErrorCode.UNKNOWN_NODE,
        "execution node '%s' is not registered; 'millrace node list' shows those that are"
            .formatted(ShownText.of(name)));
  }

  private List<ExecutionNodeView> list(Handle handle) {
    Instant now = time.now(handle);
    Map<UUID, BookedCapacity> used = bookings.byNode(handle);
    Map<UUID, List<DenylistEntry>> denials = denylist.byNode(handle);
    return nodes.list(handle, NodeKind.EXECUTION).stream()
        .map(
            node ->
                view(
                    node,
                    used.getOrDefault(node.id(), BookedCapacity.NOTHING),
                    denials.getOrDefault(node.id(), List.of()),
                    now))
        .toList();
  }

  /** A node that leaves as it was ordered to is not lost. */
  private static NodeStatus status(NodeRow node, RequestedStatus requested, BookedCapacity used) {
    if (requested.status() == NodeStatus.MAINTENANCE) {
      return NodeStatus.MAINTENANCE;
    }
    if (requested.status() == NodeStatus.DRAINING && used.attempts().isEmpty()) {
      return NodeStatus.DRAINED;
    }
    return node.lost() ? NodeStatus.LOST : requested.status();
  }

  private static ExecutionNodeView view(
      NodeRow node, BookedCapacity used, List<DenylistEntry> denials, Instant now) {
    RequestedStatus requested = node.requestedStatus().at(now);
    return new ExecutionNodeView(
        node.id(),
        node.name(),
        node.address(),
        status(node, requested, used),
        node.lost(),
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
        requested.until(),
        requested.reason(),
        denials,
        node.clockOffsetMillis(),
        node.version(),
        used.managers(),
        used.stoppingManagers());
  }

  /** The definitions that are denied to nodes, for display. */
  @FunctionalInterface
  public interface NodeDenylist {
    /** No definition is denied. */
    NodeDenylist NONE = handle -> Map.of();

    /** Denials in force, by node. */
    Map<UUID, List<DenylistEntry>> byNode(Handle handle);

    /** Lifts the denial of a definition, or of a user, and forgets its evidence; whether it was. */
    default boolean lift(Handle handle, UUID node, String definition) {
      return false;
    }
  }
}
