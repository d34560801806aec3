package io.millrace.cli.node;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.insight.Overview;
import io.millrace.api.insight.Overview.Alert;
import io.millrace.api.insight.QueueView;
import io.millrace.api.node.ExecutionNodeView;
import io.millrace.api.queue.QueueNodeView;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * All nodes as one central manager sees them.
 *
 * @param queueNodes by name
 * @param executionNodes by name
 * @param points weight points by queue, by queue node
 * @param alerts about nodes and other things
 */
record Nodes(
    List<QueueNodeView> queueNodes,
    List<ExecutionNodeView> executionNodes,
    Map<String, Map<String, Integer>> points,
    List<Alert> alerts) {
  static Nodes of(Overview overview) {
    Map<String, Map<String, Integer>> points = new TreeMap<>();
    for (QueueView queue : overview.queues()) {
      queue
          .weights()
          .forEach(
              (node, share) ->
                  points.computeIfAbsent(node, n -> new TreeMap<>()).put(queue.name(), share));
    }
    return new Nodes(
        overview.queueNodes(),
        overview.executionNodes(),
        points,
        overview.alerts() == null ? List.of() : overview.alerts());
  }

  Optional<QueueNodeView> queueNode(String name) {
    return queueNodes.stream().filter(node -> node.name().equals(name)).findFirst();
  }

  Optional<ExecutionNodeView> executionNode(String name) {
    return executionNodes.stream().filter(node -> node.name().equals(name)).findFirst();
  }

  /** Weight points of all queues together. */
  int pointsOf(String node) {
    return points.getOrDefault(node, Map.of()).values().stream().mapToInt(Integer::intValue).sum();
  }

  List<Alert> alertsAbout(String name) {
    return alerts.stream().filter(alert -> alert.subject().equals(name)).toList();
  }

  static MillraceException unknown(String name) {
    return new MillraceException(
        ErrorCode.UNKNOWN_NODE, "there is no node '%s'; see 'millrace node list'".formatted(name));
  }
}
