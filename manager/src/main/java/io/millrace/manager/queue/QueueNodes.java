package io.millrace.manager.queue;

import io.millrace.api.json.Json;
import io.millrace.api.overview.QueueNodeView;
import io.millrace.api.queue.QueueNodeReport;
import io.millrace.api.queue.QueueNodeStanding;
import io.millrace.api.queue.SegmentFigures;
import io.millrace.manager.node.NodeKind;
import io.millrace.manager.node.NodeRegistry;
import io.millrace.manager.node.RegisteredNode;
import java.time.Duration;
import java.util.List;

/**
 * The queue nodes with what they reported last; a silent one keeps its last report, so that its
 * events stay visible. Thread-safe; every method blocks on the database.
 */
public final class QueueNodes {
  /** Several reports may be late or lost before a node counts as silent. */
  private static final Duration LEASE = Duration.ofSeconds(10);

  private final NodeRegistry registry;

  public QueueNodes(NodeRegistry registry) {
    this.registry = registry;
  }

  /** Takes a report, which renews the node's lease. */
  public void accept(QueueNodeReport report) {
    registry.renew(
        NodeKind.QUEUE, report.id(), report.name(), report.address(), Json.write(report), LEASE);
  }

  /** Every queue node ever registered, by name. */
  public List<QueueNodeView> all() {
    return registry.nodes(NodeKind.QUEUE).stream()
        .filter(node -> node.report() != null)
        .map(QueueNodes::view)
        .toList();
  }

  /** Every segment as last reported. */
  static List<SegmentFigures> segments(List<QueueNodeView> nodes) {
    return nodes.stream().flatMap(node -> node.segments().stream()).toList();
  }

  private static QueueNodeView view(RegisteredNode node) {
    QueueNodeReport report = Json.read(node.report(), QueueNodeReport.class);
    return new QueueNodeView(
        node.id(),
        node.name(),
        node.address(),
        node.employed(),
        false,
        node.silentSeconds(),
        QueueNodeStanding.ACTIVE,
        null,
        null,
        report.load(),
        report.capacity(),
        report.configuredCapacity(),
        report.shortage(),
        report.segments());
  }
}
