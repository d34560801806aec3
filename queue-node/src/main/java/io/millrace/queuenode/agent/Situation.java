package io.millrace.queuenode.agent;

import io.millrace.api.queue.QueueNodeAddress;
import io.millrace.api.queue.QueueNodeStatus;
import io.millrace.api.queue.Topology;
import io.millrace.queuenode.balancing.BalancingSnapshot;

/**
 * What the agent decides on.
 *
 * @param topology the truth as last heard
 * @param self this node as the database knows it
 * @param snapshot the cluster as the view shows it
 */
record Situation(Topology topology, QueueNodeAddress self, BalancingSnapshot snapshot) {
  boolean draining() {
    return self.standing() == QueueNodeStatus.DRAINING;
  }

  /** A registered node; the snapshot names no others. */
  QueueNodeAddress node(String name) {
    return topology.nodes().stream()
        .filter(node -> node.name().equals(name))
        .findFirst()
        .orElseThrow(() -> new IllegalStateException(name + " is in no topology"));
  }
}
