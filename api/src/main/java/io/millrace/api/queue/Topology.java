package io.millrace.api.queue;

import java.util.List;

/**
 * What queue nodes and load balancers follow: definitions, weight rows and registered nodes, under
 * one version that rises with any change.
 *
 * @param version changes with any change; opaque
 * @param queues every queue with the version of its definition
 * @param weights weight rows; a queue without one has no segments yet
 * @param nodes registered queue nodes
 */
public record Topology(
    String version,
    List<VersionedQueue> queues,
    List<QueueWeights> weights,
    List<QueueNodeAddress> nodes) {}
