package io.millrace.manager.queue;

import io.millrace.api.NodeStatus;
import io.millrace.api.node.RequestNumber;
import io.millrace.api.queue.QueueNodeReport;
import io.millrace.api.queue.QueueNodeView;
import io.millrace.api.queue.SegmentFigures;
import io.millrace.manager.node.KnownQueueNode;
import io.millrace.manager.node.KnownQueueNode.QueueNodeCondition;
import io.millrace.manager.node.QueueNodeRegistry;
import java.util.List;
import java.util.Optional;

/**
 * The queue nodes with their last reports; a silent one keeps its last report, so that its events
 * stay visible. Thread-safe; every method blocks on the database.
 */
public final class QueueNodes {
  private final QueueNodeRegistry queueNodes;

  public QueueNodes(QueueNodeRegistry queueNodes) {
    this.queueNodes = queueNodes;
  }

  /** Accepts a report, which renews the node's lease. */
  public void accept(QueueNodeReport report, RequestNumber request) {
    queueNodes.accept(report, request);
  }

  /** Every queue node registered, by name. */
  public List<QueueNodeView> all() {
    return queueNodes.all().stream()
        .filter(node -> node.reported() != null)
        .map(QueueNodes::view)
        .toList();
  }

  /** The queue node of that name, if it is registered and has reported. */
  Optional<QueueNodeView> find(String name) {
    return all().stream().filter(node -> node.name().equals(name)).findFirst();
  }

  /** Nodes that held a segment of the queue in their last report, including lost ones, by name. */
  List<QueueNodeView> holders(String queue) {
    return all().stream()
        .filter(node -> node.segments().stream().anyMatch(segment -> segment.queue().equals(queue)))
        .toList();
  }

  /** The queue node of that name; UNKNOWN_NODE when there is none. */
  public QueueNodeView require(String name) {
    return view(queueNodes.require(name));
  }

  /** Every segment as last reported. */
  public static List<SegmentFigures> segments(List<QueueNodeView> nodes) {
    return nodes.stream().flatMap(node -> node.segments().stream()).toList();
  }

  /** A node that was stopped after it had been drained is not lost. */
  private static NodeStatus status(KnownQueueNode node, QueueNodeReport report) {
    boolean empty =
        report.segments().stream().allMatch(one -> one.weight() == 0 && one.unfinished() == 0);
    if (node.requested() == NodeStatus.DRAINING && empty) {
      return NodeStatus.DRAINED;
    }
    return node.condition() == QueueNodeCondition.LOST ? NodeStatus.LOST : node.requested();
  }

  private static QueueNodeView view(KnownQueueNode node) {
    QueueNodeReport report = node.report();
    return new QueueNodeView(
        node.id(),
        node.name(),
        node.address(),
        node.condition() == QueueNodeCondition.LIVE,
        node.condition() == QueueNodeCondition.LOST,
        node.withdrawn(),
        node.silentSeconds(),
        status(node, report),
        node.requestedUntil(),
        node.requestedReason(),
        report.load(),
        report.capacity(),
        report.configuredCapacity(),
        report.shortage(),
        report.segments(),
        report.full());
  }
}
