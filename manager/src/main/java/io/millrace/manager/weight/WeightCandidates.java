package io.millrace.manager.weight;

import io.millrace.api.queue.QueueNodeReport;
import io.millrace.api.queue.QueueWeights;
import io.millrace.manager.node.KnownQueueNode;
import java.util.Collection;
import java.util.Map;
import java.util.TreeMap;

/** The nodes that may get points, with what they hold already. Pure. */
final class WeightCandidates {
  private WeightCandidates() {}

  /** Candidates by name: live and active nodes. */
  static Map<String, WeightCandidate> of(
      Collection<KnownQueueNode> nodes, Collection<QueueWeights> rows) {
    Map<String, WeightCandidate> candidates = new TreeMap<>();
    for (KnownQueueNode node : nodes) {
      if (node.takesWeight()) {
        int points = rows.stream().mapToInt(row -> row.of(node.name())).sum();
        candidates.put(node.name(), candidate(node, points));
      }
    }
    return candidates;
  }

  private static WeightCandidate candidate(KnownQueueNode node, int points) {
    QueueNodeReport report = node.report();
    boolean measured = report != null && report.load() != null;
    double capacity = report == null || report.capacity() <= 0 ? 1 : report.capacity();
    return new WeightCandidate(node.name(), points, capacity, measured ? report.load().load() : 0);
  }
}
