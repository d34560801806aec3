package io.millrace.manager.weight;

import io.millrace.api.Durations;
import io.millrace.api.ErrorCode;
import io.millrace.api.MessageText;
import io.millrace.api.MillraceException;
import io.millrace.api.NodeStatus;
import io.millrace.api.node.NodeCommand;
import io.millrace.api.queue.QueueNodeReport;
import io.millrace.api.queue.QueueNodeView;
import io.millrace.api.queue.SegmentFigures;
import io.millrace.manager.node.KnownQueueNode;
import io.millrace.manager.node.KnownQueueNode.QueueNodeCondition;
import io.millrace.manager.node.QueueNodeRegistry;
import io.millrace.manager.queue.QueueNodes;
import io.millrace.platform.database.DatabaseTime;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Handle;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Commands of operators to queue nodes. Thread-safe; every method blocks on the database. */
public final class QueueNodeCommands {
  private static final Logger LOGGER = LoggerFactory.getLogger(QueueNodeCommands.class);
  private static final Duration LONGEST_MAINTENANCE = Duration.ofDays(7);
  private static final int LONGEST_REASON = 1_000;

  private final QueueNodeRegistry queueNodes;
  private final QueueNodes nodes;
  private final WeightRows weights;
  private final DatabaseTime time;
  private final Runnable changed;

  /**
   * The commands.
   *
   * @param changed called after a command; a hint
   */
  public QueueNodeCommands(
      QueueNodeRegistry queueNodes,
      QueueNodes nodes,
      WeightRows weights,
      DatabaseTime time,
      Runnable changed) {
    this.time = time;
    this.queueNodes = queueNodes;
    this.nodes = nodes;
    this.weights = weights;
    this.changed = changed;
  }

  /** Drains a node: it gives away all its weight, until it is undrained. */
  public QueueNodeView drain(String name, NodeCommand command, String actor) {
    return command(name, NodeStatus.DRAINING, null, reason(command), actor);
  }

  /** Ends draining or maintenance. */
  public QueueNodeView undrain(String name, String actor) {
    return command(name, NodeStatus.ACTIVE, null, null, actor);
  }

  /** Puts a node into maintenance for some time: it keeps its weight and is not declared lost. */
  public QueueNodeView maintain(String name, NodeCommand command, String actor) {
    Duration duration = command.duration();
    if (duration == null || duration.isNegative() || duration.isZero()) {
      throw new MillraceException(
          ErrorCode.INVALID_REQUEST, "maintenance needs a duration, such as \"5m\"");
    }
    if (duration.compareTo(LONGEST_MAINTENANCE) > 0) {
      throw new MillraceException(
          ErrorCode.INVALID_REQUEST,
          "maintenance may take at most %s; drain a node that is away for longer"
              .formatted(Durations.format(LONGEST_MAINTENANCE)));
    }
    return command(name, NodeStatus.MAINTENANCE, duration, reason(command), actor);
  }

  private QueueNodeView command(
      String name, NodeStatus status, Duration duration, String reason, String actor) {
    queueNodes.command(name, status, duration, reason);
    LOGGER.info("{} set queue node {} to {}: {}", actor, name, status, reason);
    changed.run();
    return nodes.require(name);
  }

  private static String reason(NodeCommand command) {
    String reason = command.reason();
    if (reason != null && reason.length() > LONGEST_REASON) {
      throw new MillraceException(
          ErrorCode.INVALID_REQUEST,
          "a reason may have at most %d characters".formatted(LONGEST_REASON));
    }
    return reason;
  }

  /**
   * Removes a node that will not return; it is registered again if it reports.
   *
   * @param force also when its last report showed unfinished events, or slots of queues of sessions
   *     wait for events that it has; all of them are then given up
   * @throws MillraceException UNKNOWN_NODE, or CONFLICT when it must not be removed yet
   */
  public void forget(String name, boolean force, String actor) {
    Map<String, Integer> givenUp =
        queueNodes.forget(
            name,
            (handle, node) -> {
              requireLost(node);
              checkWeight(node);
              checkEvents(node, force);
              return giveUp(handle, node, force, actor);
            });
    LOGGER.warn("{} removed queue node {}", actor, name);
    givenUp.forEach(
        (queue, slots) ->
            LOGGER.warn(
                "the sessions of {} of {} go on without the events that only {} had",
                MessageText.counted(slots, "slot"),
                queue,
                name));
    changed.run();
  }

  private Map<String, Integer> giveUp(
      Handle handle, KnownQueueNode node, boolean force, String actor) {
    if (!force) {
      Map<String, Integer> owed = WeightRows.owed(handle, node.name());
      if (!owed.isEmpty()) {
        throw new MillraceException(
            ErrorCode.CONFLICT,
            "%s has events of sessions for which %s wait; bring it back, recover its events with 'millrace queue-node rescue', or discard them with force=true"
                .formatted(
                    node.name(),
                    owed.entrySet().stream()
                        .map(
                            one ->
                                MessageText.counted(one.getValue(), "slot") + " of " + one.getKey())
                        .collect(Collectors.joining(", "))));
      }
      return owed;
    }
    String reason = "%s removed %s, so that its events are given up".formatted(actor, node.name());
    return WeightRows.giveUp(handle, node.name(), reason, time.now(handle));
  }

  private static void requireLost(KnownQueueNode node) {
    boolean drained =
        node.condition() == QueueNodeCondition.SILENT && node.requested() == NodeStatus.DRAINING;
    if (node.condition() != QueueNodeCondition.LOST && !drained) {
      throw new MillraceException(
          ErrorCode.CONFLICT,
          "%s is not lost; drain it with 'millrace node drain %s' and stop it before removing it"
              .formatted(node.name(), node.name()));
    }
  }

  private void checkWeight(KnownQueueNode node) {
    List<String> queues =
        weights.all().stream()
            .filter(row -> row.of(node.name()) > 0)
            .map(row -> MessageText.counted(row.of(node.name()), "point") + " of " + row.queue())
            .toList();
    if (!queues.isEmpty()) {
      throw new MillraceException(
          ErrorCode.CONFLICT,
          "%s still has %s; they move as soon as another node is live and takes weight"
              .formatted(node.name(), String.join(", ", queues)));
    }
  }

  private static void checkEvents(KnownQueueNode node, boolean force) {
    QueueNodeReport report = node.report();
    if (force || report == null) {
      return;
    }
    String held =
        report.segments().stream()
            .filter(segment -> segment.unfinished() > 0 || segment.dead() > 0)
            .map(QueueNodeCommands::describe)
            .collect(Collectors.joining(", "));
    if (!held.isEmpty()) {
      throw new MillraceException(
          ErrorCode.CONFLICT,
          "%s held %s when it last reported; bring it back, recover its events with 'millrace queue-node rescue', or discard them with force=true"
              .formatted(node.name(), held));
    }
  }

  private static String describe(SegmentFigures segment) {
    return "%s and %s of %s"
        .formatted(
            MessageText.counted(segment.unfinished(), "unfinished event"),
            MessageText.counted(segment.dead(), "dead letter"),
            segment.queue());
  }
}
