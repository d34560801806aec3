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
import io.millrace.api.queue.Topology.QueueNodeAddress;
import io.millrace.api.session.SlotTable;
import io.millrace.queuenode.store.PutOrder.QueueVersions;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/** A topology by queue, for one node. Immutable. */
public final class FollowedTopology {
  private final String node;
  private final boolean known;
  private final Map<String, VersionedQueue> definitions;
  private final Map<String, QueueWeights> weights;
  private final Map<String, QueueControl> controls;
  private final Set<String> broken;
  private final Map<String, QueueDeletion> deletions;
  private final Map<String, QueueNodeAddress> nodes;

  private FollowedTopology(
      String node,
      boolean known,
      Map<String, VersionedQueue> definitions,
      Map<String, QueueWeights> weights,
      Map<String, QueueControl> controls,
      Set<String> broken,
      Map<String, QueueDeletion> deletions,
      Map<String, QueueNodeAddress> nodes) {
    this.node = node;
    this.known = known;
    this.definitions = definitions;
    this.weights = weights;
    this.controls = controls;
    this.broken = broken;
    this.deletions = deletions;
    this.nodes = nodes;
  }

  /** Before the first topology. */
  public static FollowedTopology none(String node) {
    return new FollowedTopology(
        node, false, Map.of(), Map.of(), Map.of(), Set.of(), Map.of(), Map.of());
  }

  /** A topology as received. */
  public static FollowedTopology of(String node, Topology topology) {
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
            .collect(Collectors.toUnmodifiableMap(QueueDeletion::queue, Function.identity())),
        topology.nodes() == null
            ? Map.of()
            : topology.nodes().stream()
                .collect(
                    Collectors.toUnmodifiableMap(
                        QueueNodeAddress::name, Function.identity(), (one, same) -> one)));
  }

  /** The definition; empty if none is known. */
  public Optional<QueueDefinition> definition(String queue) {
    return Optional.ofNullable(definitions.get(queue)).map(VersionedQueue::definition);
  }

  /** The definition, or UNKNOWN_QUEUE, or UNAVAILABLE before the first topology. */
  public QueueDefinition require(String queue) {
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
  public void requireWeight(String queue) {
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
  public void requireSending(String queue) {
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
  public boolean consumingPaused(String queue) {
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
  public void requireKept(String queue) {
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

  /**
   * Up to which version what is stored of a defined queue was deleted with its events, before the
   * queue was defined again; 0 if it was not.
   */
  public int discardedThrough(String queue) {
    QueueDeletion deletion = deletions.get(queue);
    return deletion == null || !deletion.discards() || deleting(queue) ? 0 : deletion.version();
  }

  /** The versions of a defined queue. */
  public QueueVersions versions(String queue) {
    QueueDeletion deletion = deletions.get(queue);
    return new QueueVersions(
        definitions.get(queue).version(), deletion == null ? 0 : deletion.version());
  }

  /** Whether its workers fail on every event, so that failures are not charged to events. */
  boolean broken(String queue) {
    return broken.contains(queue);
  }

  /** Queues whose consuming is paused in this topology and not in the other one. */
  public Set<String> resumedIn(FollowedTopology other) {
    return controls.keySet().stream()
        .filter(queue -> consumingPaused(queue) && !other.consumingPaused(queue))
        .collect(Collectors.toUnmodifiableSet());
  }

  /** The points of this node. */
  public int weight(String queue) {
    QueueWeights row = weights.get(queue);
    return row == null ? 0 : row.of(node);
  }

  /** The version of the weight row; 0 for none. */
  public long weightsVersion(String queue) {
    QueueWeights row = weights.get(queue);
    return row == null ? 0 : row.version();
  }

  /** Queues with weight on this node. */
  Set<String> weighted() {
    return weights.keySet().stream()
        .filter(queue -> weight(queue) > 0)
        .collect(Collectors.toUnmodifiableSet());
  }

  /** Whether it is a queue of sessions. */
  public boolean ofSessions(String queue) {
    VersionedQueue defined = definitions.get(queue);
    return defined != null && defined.definition().ofSessions();
  }

  /** Queues of sessions whose slots are distributed. */
  public Set<String> ofSessions() {
    return weights.keySet().stream()
        .filter(queue -> ofSessions(queue) && slots(queue).isPresent())
        .collect(Collectors.toUnmodifiableSet());
  }

  /** Which node has which slot of a queue of sessions; empty while that is not known. */
  public Optional<SlotTable> slots(String queue) {
    return Optional.ofNullable(weights.get(queue)).map(QueueWeights::slots);
  }

  /** A queue node that the database knows. */
  public Optional<QueueNodeAddress> node(String name) {
    return Optional.ofNullable(nodes.get(name));
  }

  /** Whether a queue node is lost, or is not known at all any more. */
  public boolean lost(String name) {
    return node(name).map(QueueNodeAddress::lost).orElse(true);
  }
}
