package io.millrace.queuenode.agent;

import io.millrace.api.NodeStatus;
import io.millrace.api.queue.QueueDefinition;
import io.millrace.api.queue.QueueDefinition.VersionedQueue;
import io.millrace.api.queue.QueueNodeReport;
import io.millrace.api.queue.QueueWeights;
import io.millrace.api.queue.SegmentFigures;
import io.millrace.api.queue.Topology;
import io.millrace.api.queue.Topology.QueueNodeAddress;
import io.millrace.queuenode.balancing.BalancingSnapshot;
import io.millrace.queuenode.balancing.BalancingSnapshot.ObservedNode;
import io.millrace.queuenode.balancing.BalancingSnapshot.ObservedQueue;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Builds the snapshot for balancing from the nodes' reports (advisory) and the database's state
 * (weights, definitions, registered nodes and the status that operators ask for). Pure.
 */
final class SnapshotMaker {
  private SnapshotMaker() {}

  /**
   * The cluster as known.
   *
   * @param fresh reports by the node's name; those of unregistered nodes are ignored
   */
  static BalancingSnapshot of(Topology topology, Map<String, QueueNodeReport> fresh) {
    List<QueueNodeReport> counted =
        topology.nodes().stream()
            .filter(node -> isOf(fresh.get(node.name()), node))
            .map(node -> fresh.get(node.name()))
            .toList();
    List<ObservedNode> nodes =
        topology.nodes().stream()
            .filter(node -> isOf(fresh.get(node.name()), node))
            .map(node -> facts(fresh.get(node.name()), node.status()))
            .toList();
    return new BalancingSnapshot(nodes, queues(topology, counted));
  }

  /** Another process may use the name of a node, but not its id. */
  private static boolean isOf(QueueNodeReport report, QueueNodeAddress node) {
    return report != null && report.id().equals(node.id());
  }

  private static ObservedNode facts(QueueNodeReport report, NodeStatus status) {
    return new ObservedNode(
        report.name(),
        report.load().state(),
        report.load().load(),
        report.capacity(),
        status == NodeStatus.ACTIVE);
  }

  private static List<ObservedQueue> queues(Topology topology, List<QueueNodeReport> reports) {
    Map<String, Integer> minSegments = new HashMap<>();
    for (VersionedQueue queue : topology.queues()) {
      QueueDefinition definition = queue.definition();
      minSegments.put(definition.name(), definition.minSegments());
    }
    Map<String, Measured> measured = measured(reports);
    return topology.weights().stream()
        .map(row -> facts(row, minSegments.getOrDefault(row.queue(), 1), measured))
        .toList();
  }

  private static ObservedQueue facts(
      QueueWeights row, int minSegments, Map<String, Measured> measured) {
    Measured found = measured.get(row.queue());
    return new ObservedQueue(
        row.queue(),
        row.version(),
        row.points(),
        minSegments,
        found == null || found.weight() == 0 ? Double.NaN : found.load() / found.weight());
  }

  private record Measured(double load, int weight) {
    Measured plus(Measured more) {
      return new Measured(load + more.load, weight + more.weight);
    }
  }

  /**
   * Load and weight of each queue over the reporting nodes. The weight is the one in use when the
   * node measured, so that a row that has just changed does not distort the ratio.
   */
  private static Map<String, Measured> measured(List<QueueNodeReport> reports) {
    Map<String, Measured> measured = new HashMap<>();
    for (QueueNodeReport report : reports) {
      double whole = report.load().load() * report.capacity();
      for (SegmentFigures segment : report.segments()) {
        Measured here = new Measured(whole * segment.load().share(), segment.weight());
        measured.merge(segment.queue(), here, Measured::plus);
      }
    }
    return measured;
  }
}
