package io.millrace.queuenode.agent;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.api.Json;
import io.millrace.queuenode.balancing.BalancingSnapshot;
import io.millrace.queuenode.balancing.ObservedNode;
import io.millrace.queuenode.balancing.ObservedQueue;
import java.util.List;

/**
 * What a decision was made of, as it is recorded: every node, and the queues of which the node that
 * decides holds points.
 *
 * @param nodes the fresh ones
 * @param held by the node that decides
 */
record DecisionInputs(List<ObservedNode> nodes, List<Held> held) {
  /**
   * A queue.
   *
   * @param queue its name
   * @param points that the node holds
   * @param load that these ask, in absolute units; null while nothing was measured
   */
  record Held(String queue, int points, Double load) {}

  static JsonNode of(String node, BalancingSnapshot snapshot) {
    List<Held> held =
        snapshot.queues().stream()
            .filter(queue -> queue.points().containsKey(node))
            .map(queue -> held(node, queue))
            .toList();
    return Json.mapper().valueToTree(new DecisionInputs(snapshot.nodes(), held));
  }

  private static Held held(String node, ObservedQueue queue) {
    int points = queue.points().get(node);
    double load = points * queue.loadPerPoint();
    return new Held(queue.name(), points, Double.isNaN(load) ? null : load);
  }
}
