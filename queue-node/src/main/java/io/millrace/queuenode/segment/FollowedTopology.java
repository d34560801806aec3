package io.millrace.queuenode.segment;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.ShownText;
import io.millrace.api.queue.QueueControl;
import io.millrace.api.queue.QueueDefinition;
import io.millrace.api.queue.QueueDefinition.VersionedQueue;
import io.millrace.api.queue.QueueDeletion;
import io.millrace.api.queue.QueueWeights;
import io.millrace.api.queue.Topology;
import io.millrace.queuenode.store.PutOrder.QueueVersions;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/** A topology by queue, for one node. Immutable. */
final class FollowedTopology {
  private final String node;
  private final boolean known;
  private final Map<String, VersionedQueue> definitions;
  private final Map<String, QueueWeights> weights;
  private final Map<String, QueueControl> controls;
  private final Set<String> broken;
  private final Map<String, QueueDeletion> deletions;

  private FollowedTopology(
      String node,
      boolean known,
      Map<String, VersionedQueue> definitions,
      Map<String, QueueWeights> weights,
      Map<String, QueueControl> controls,
      Set<String> broken,
      Map<String, QueueDeletion> deletions) {
    this.node = node;
    this.known = known;
    this.definitions = definitions;
    this.weights = weights;
    this.controls = controls;
    this.broken = broken;
    this.deletions = deletions;
  }

  static FollowedTopology none(String node) {
    return new FollowedTopology(node, false, Map.of(), Map.of(), Map.of(), Set.of(), Map.of());
  }

  static FollowedTopology of(String node, Topology topology) {
    return new FollowedTopology(
        node,
        true,
        topology.queues().stream()
            .collect(
                Collectors.toUnmodifiableMap(
                    queue -> queue.definition().name(), Function.identity())),
        topology.weights().stream()
            .collect(Collectors.toUnmodifiableMap(QueueWeights::queue, Function.identity())),
        topology.controls().stream()
            .collect(Collectors.toUnmodifiableMap(QueueControl::queue, Function.identity())),
        Set.copyOf(topology.broken()),
        topology.deletions().stream()
            .collect(Collectors.toUnmodifiableMap(QueueDeletion::queue, Function.identity())));
  }

  Optional<QueueDefinition> definition(String queue) {
    return Optional.ofNullable(definitions.get(queue)).map(VersionedQueue::definition);
  }

  /** The definition, or UNKNOWN_QUEUE, or UNAVAILABLE before the first topology. */
  QueueDefinition require(String queue) {
    VersionedQueue defined = definitions.get(queue);
    if (defined != null) {
      return defined.definition();
    }
    if (!known) {
      throw new MillraceException(
          ErrorCode.UNAVAILABLE,
          node
              + " has not received any queues yet, because no central manager answered; try again");
    }
    throw new MillraceException(
        ErrorCode.UNKNOWN_QUEUE,
        "no queue " + ShownText.of(queue) + " is defined; define it with 'millrace apply -f FILE'");
  }

  /** Refuses events of a queue without weight on this node. */
  void requireWeight(String queue) {
    if (weight(queue) == 0) {
      throw new MillraceException(
          ErrorCode.NO_SEGMENT,
          node
              + " has no weight of "
              + queue
              + " (weights version "
              + weightsVersion(queue)
              + "); send to a load balancer, or to a node with weight");
    }
  }

  /** Refuses events of a queue to which operators have paused sending. */
  void requireSending(String queue) {
    QueueControl control = controls.get(queue);
    if (control != null && control.sendingPaused()) {
      throw new MillraceException(
          ErrorCode.QUEUE_PAUSED,
          "sending to queue "
              + queue
              + " was paused by "
              + control.by()
              + " at "
              + control.at()
              + (control.reason() == null ? "" : " (" + control.reason() + ")")
              + "; send again when it is resumed ('millrace queue resume "
              + queue
              + "')");
    }
  }

  /** Whether operators have paused consuming from the queue, or its events are being dropped. */
  boolean consumingPaused(String queue) {
    QueueControl control = controls.get(queue);
    return (control != null && control.consumingPaused()) || discards(queue);
  }

  private boolean discards(String queue) {
    return deleting(queue) && deletions.get(queue).discards();
  }

  private boolean deleting(String queue) {
    QueueDeletion deletion = deletions.get(queue);
    VersionedQueue defined = definitions.get(queue);
    return deletion != null && deletion.closes(defined == null ? 0 : defined.version());
  }

  /** Refuses events of a queue that is being deleted. */
  void requireKept(String queue) {
    if (deleting(queue)) {
      throw new MillraceException(
          ErrorCode.QUEUE_DELETING,
          "queue "
              + queue
              + " is being deleted and accepts no more events; 'millrace queue show "
              + queue
              + "' shows what it waits for");
    }
  }

  /** The versions of a defined queue. */
  QueueVersions versions(String queue) {
    QueueDeletion deletion = deletions.get(queue);
    return new QueueVersions(
        definitions.get(queue).version(), deletion == null ? 0 : deletion.version());
  }

  /** Whether its workers fail on every event, so that failures are not charged to events. */
  boolean broken(String queue) {
    return broken.contains(queue);
  }

  /** Queues whose consuming is paused in this topology and not in the other one. */
  Set<String> resumedIn(FollowedTopology other) {
    return controls.keySet().stream()
        .filter(queue -> consumingPaused(queue) && !other.consumingPaused(queue))
        .collect(Collectors.toUnmodifiableSet());
  }

  int weight(String queue) {
    QueueWeights row = weights.get(queue);
    return row == null ? 0 : row.of(node);
  }

  long weightsVersion(String queue) {
    QueueWeights row = weights.get(queue);
    return row == null ? 0 : row.version();
  }

  /** Queues with weight on this node. */
  Set<String> weighted() {
    return weights.keySet().stream()
        .filter(queue -> weight(queue) > 0)
        .collect(Collectors.toUnmodifiableSet());
  }
}
