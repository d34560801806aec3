package io.millrace.queuenode.session;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.ShownText;
import io.millrace.api.queue.QueueDefinition;
import io.millrace.api.queue.Topology;
import io.millrace.api.session.SessionDefinition;
import io.millrace.platform.clock.Clock;
import io.millrace.queuenode.segment.FollowedTopology;
import io.millrace.queuenode.session.store.SessionStore.DeliveryRules;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** The queues of sessions that a node follows, and their rules. Thread-safe; never blocks. */
final class SessionRules {
  private static final Duration SHORTEST_MARGIN = Duration.ofMillis(100);

  // A definition reaches the nodes one after another, and a node cut off from it serves a while.
  private static final Duration SPREAD = Duration.ofMinutes(1);

  private final String node;
  private final Clock clock;
  // By queue: of definitions in whose place a shorter silence has stepped.
  private final Map<String, Longer> longer = new ConcurrentHashMap<>();
  private volatile FollowedTopology topology;

  /**
   * How long workers may still go by an earlier definition.
   *
   * @param earlier what it said of sessions
   * @param until nanoseconds of the clock
   */
  private record Longer(SessionDefinition earlier, long until) {}

  SessionRules(String node, Clock clock) {
    this.node = node;
    this.clock = clock;
    this.topology = FollowedTopology.none(node);
  }

  /** Uses this topology from now on; returns the queues whose consuming was resumed by it. */
  Set<String> follow(Topology next) {
    FollowedTopology before = topology;
    FollowedTopology after = FollowedTopology.of(node, next);
    // Noted first: nobody must go by the new definition alone.
    before.ofSessions().forEach(queue -> noteShortened(queue, before, after));
    longer.keySet().retainAll(after.ofSessions());
    topology = after;
    return before.resumedIn(topology);
  }

  private void noteShortened(String queue, FollowedTopology before, FollowedTopology after) {
    Optional<SessionDefinition> now = after.definition(queue).map(QueueDefinition::sessions);
    SessionDefinition was = before.require(queue).sessions();
    boolean shortened =
        now.isPresent()
            && (now.get().silence().compareTo(was.silence()) < 0
                || deadline(now.get()).compareTo(deadline(was)) < 0);
    if (shortened) {
      long until = clock.nanoTime() + was.silence().plus(SPREAD).toNanos();
      longer.merge(
          queue,
          new Longer(was, until),
          (one, other) -> {
            SessionDefinition longest =
                one.earlier.silence().compareTo(other.earlier.silence()) < 0
                    ? other.earlier
                    : one.earlier;
            return new Longer(longest, Math.max(one.until, other.until));
          });
    }
  }

  private Optional<SessionDefinition> earlier(String queue) {
    Longer noted = longer.get(queue);
    if (noted != null && clock.nanoTime() - noted.until >= 0) {
      longer.remove(queue, noted);
      return Optional.empty();
    }
    return Optional.ofNullable(noted).map(Longer::earlier);
  }

  /**
   * After how long a silence none of a queue's workers works any more: that of its definition, or a
   * longer one of an earlier definition by which some may still go.
   */
  Duration silence(QueueDefinition definition) {
    Duration now = definition.sessions().silence();
    return earlier(definition.name())
        .map(SessionDefinition::silence)
        .filter(before -> before.compareTo(now) > 0)
        .orElse(now);
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
    return topology.definition(queue).filter(QueueDefinition::ofSessions).map(this::delivery);
  }

  DeliveryRules delivery(QueueDefinition definition) {
    Duration deadline = deadline(definition.sessions());
    Duration stopped =
        earlier(definition.name())
            .map(SessionRules::deadline)
            .filter(before -> before.compareTo(deadline) > 0)
            .orElse(deadline);
    return new DeliveryRules(
        definition.sessions(), definition.batch(), definition.maxAttempts(), deadline, stopped);
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
