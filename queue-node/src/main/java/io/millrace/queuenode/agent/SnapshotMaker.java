package io.millrace.queuenode.agent;

import io.millrace.api.queue.QueueDefinition;
import io.millrace.api.queue.QueueNodeAddress;
import io.millrace.api.queue.QueueNodeReport;
import io.millrace.api.queue.QueueNodeStatus;
import io.millrace.api.queue.QueueWeights;
import io.millrace.api.queue.SegmentFigures;
import io.millrace.api.queue.Topology;
import io.millrace.api.queue.VersionedQueue;
import io.millrace.queuenode.balancing.BalancingSnapshot;
import io.millrace.queuenode.balancing.ObservedNode;
import io.millrace.queuenode.balancing.ObservedQueue;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Makes the snapshot that balancing decides on from what nodes say (a hint) and what the database
 * says (weights, definitions, who is registered and what operators want of it). Pure.
 */
final class SnapshotMaker {
  private SnapshotMaker() {}

  /**
   * The cluster as known.
   *
   * @param fresh reports by the node's name; those of nodes that are not registered do not count
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
            .map(node -> facts(fresh.get(node.name()), node.standing()))
            .toList();
    return new BalancingSnapshot(nodes, queues(topology, counted));
  }

  /** A stranger may use the name of a node; its id it does not have. */
  private static boolean isOf(QueueNodeReport report, QueueNodeAddress node) {
    return report != null && report.id().equals(node.id());
  }

  private static ObservedNode facts(QueueNodeReport report, QueueNodeStatus standing) {
    return new ObservedNode(
        report.name(),
        report.load().state(),
        report.load().load(),
        report.capacity(),
        standing == QueueNodeStatus.ACTIVE);
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
   * Load and weight of each queue over the nodes that were heard of. The weight is the one that the
   * node followed when it measured, so that a row which has just changed does not bend the ratio.
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
