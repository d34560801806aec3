package io.millrace.queuenode.agent;

import io.millrace.api.NodeStatus;
import io.millrace.api.queue.NodeState;
import io.millrace.api.queue.QueueDefinition;
import io.millrace.api.queue.QueueDefinition.VersionedQueue;
import io.millrace.api.queue.QueueNodeReport;
import io.millrace.api.queue.QueueNodeReport.NodeLoad;
import io.millrace.api.queue.QueueWeights;
import io.millrace.api.queue.SegmentFigures;
import io.millrace.api.queue.SegmentFigures.SegmentLoad;
import io.millrace.api.queue.Topology;
import io.millrace.api.queue.Topology.QueueNodeAddress;
import java.net.URI;
import java.util.List;
import java.util.UUID;

/** Reports and topologies for tests; a node's id follows from its name. */
final class Reports {
  private Reports() {}

  static UUID id(String node) {
    return new UUID(0, node.hashCode());
  }

  static QueueNodeReport report(
      String node, NodeState state, double load, double capacity, SegmentFigures... segments) {
    return new QueueNodeReport(
        id(node),
        node,
        address(node),
        new NodeLoad(state, load, 0, load, null, "store says so"),
        capacity,
        capacity,
        List.of(segments),
        null);
  }

  static SegmentFigures segment(String node, String queue, int weight, double share) {
    return new SegmentFigures(
        queue,
        node,
        weight,
        1,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        null,
        new SegmentLoad(1, 1, 1, share, share),
        null);
  }

  static URI address(String node) {
    return URI.create("http://127.0.0.1:9/" + node);
  }

  static QueueNodeAddress registered(String node, NodeStatus standing) {
    return new QueueNodeAddress(id(node), node, address(node), standing);
  }

  static Topology topology(List<QueueWeights> rows, QueueNodeAddress... nodes) {
    List<VersionedQueue> queues =
        rows.stream().map(row -> new VersionedQueue(definition(row.queue()), 1)).toList();
    return new Topology("1", queues, rows, List.of(nodes), List.of());
  }

  private static QueueDefinition definition(String name) {
    return new QueueDefinition(name, 0, 0, 0, null, 0, null, 0, null, null, 3, null, null);
  }
}
