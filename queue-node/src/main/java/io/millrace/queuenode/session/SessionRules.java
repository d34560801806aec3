package io.millrace.queuenode.session;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.ShownText;
import io.millrace.api.queue.QueueDefinition;
import io.millrace.api.queue.Topology;
import io.millrace.api.session.SessionDefinition;
import io.millrace.queuenode.segment.FollowedTopology;
import io.millrace.queuenode.session.store.SessionStore.DeliveryRules;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;

/** The queues of sessions that a node follows, and their rules. Thread-safe; never blocks. */
final class SessionRules {
  private static final Duration SHORTEST_MARGIN = Duration.ofMillis(100);

  private final String node;
  private volatile FollowedTopology topology;

  SessionRules(String node) {
    this.node = node;
    this.topology = FollowedTopology.none(node);
  }

  /** Uses this topology from now on; returns the queues whose consuming was resumed by it. */
  Set<String> follow(Topology next) {
    FollowedTopology before = topology;
    topology = FollowedTopology.of(node, next);
    return before.resumedIn(topology);
  }

  FollowedTopology topology() {
    return topology;
  }

  /**
   * The definition of a queue of sessions.
   *
   * @throws MillraceException UNKNOWN_QUEUE, UNAVAILABLE, or UNKNOWN_SESSION for any other queue
   */
  QueueDefinition require(String queue) {
    QueueDefinition definition = topology.require(queue);
    if (!definition.ofSessions()) {
      throw new MillraceException(
          ErrorCode.UNKNOWN_SESSION,
          "queue "
              + ShownText.of(queue)
              + " has no sessions: lease its events ('millrace queue show "
              + ShownText.of(queue)
              + "'), or define another queue with sessions.key");
    }
    return definition;
  }

  /** How events of a queue are delivered; empty if it is not known as one of sessions. */
  Optional<DeliveryRules> delivery(String queue) {
    return topology
        .definition(queue)
        .filter(QueueDefinition::ofSessions)
        .map(SessionRules::delivery);
  }

  static DeliveryRules delivery(QueueDefinition definition) {
    return new DeliveryRules(
        definition.sessions(),
        definition.batch(),
        definition.maxAttempts(),
        deadline(definition.sessions()));
  }

  /**
   * How long a worker may work on after the beginning of its last answered call: it ends a while
   * before the silence after which this node gives its sessions to others.
   */
  static Duration deadline(SessionDefinition sessions) {
    Duration quarter = sessions.heartbeat().dividedBy(4);
    Duration margin = quarter.compareTo(SHORTEST_MARGIN) < 0 ? SHORTEST_MARGIN : quarter;
    Duration deadline = sessions.silence().minus(margin);
    // With the shortest heartbeat and one miss nothing would be left.
    return deadline.compareTo(quarter) < 0 ? quarter : deadline;
  }
}
