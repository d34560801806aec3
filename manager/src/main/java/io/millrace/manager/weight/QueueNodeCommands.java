package io.millrace.manager.weight;

import io.millrace.api.Durations;
import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.node.NodeCommand;
import io.millrace.api.node.NodeStatus;
import io.millrace.api.queue.QueueNodeReport;
import io.millrace.api.queue.QueueNodeView;
import io.millrace.api.queue.SegmentFigures;
import io.millrace.manager.node.KnownQueueNode;
import io.millrace.manager.node.KnownQueueNode.QueueNodeCondition;
import io.millrace.manager.node.QueueNodeRegister;
import io.millrace.manager.queue.QueueNodes;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What operators want of queue nodes. Thread-safe; every method blocks on the database. */
public final class QueueNodeCommands {
  private static final Logger LOGGER = LoggerFactory.getLogger(QueueNodeCommands.class);
  private static final Duration LONGEST_MAINTENANCE = Duration.ofDays(7);
  private static final int LONGEST_REASON = 1_000;

  private final QueueNodeRegister register;
  private final QueueNodes nodes;
  private final WeightRows weights;
  private final Runnable changed;

  /**
   * A desk for commands.
   *
   * @param changed called after a command; a hint
   */
  public QueueNodeCommands(
      QueueNodeRegister register, QueueNodes nodes, WeightRows weights, Runnable changed) {
    this.register = register;
    this.nodes = nodes;
    this.weights = weights;
    this.changed = changed;
  }

  /** Makes the node give all its weight away, until it is undrained. */
  public QueueNodeView drain(String name, NodeCommand command, String who) {
    return command(name, NodeStatus.DRAINING, null, reason(command), who);
  }

  /** Ends a draining or a maintenance. */
  public QueueNodeView undrain(String name, String who) {
    return command(name, NodeStatus.ACTIVE, null, null, who);
  }

  /**
   * Announces that the node is away for so long: it keeps its weight, and is not lost till then.
   */
  public QueueNodeView maintain(String name, NodeCommand command, String who) {
    Duration life = command.duration();
    if (life == null || life.isNegative() || life.isZero()) {
      throw new MillraceException(
          ErrorCode.INVALID_REQUEST, "a maintenance needs a duration, such as \"5m\"");
    }
    if (life.compareTo(LONGEST_MAINTENANCE) > 0) {
      throw new MillraceException(
          ErrorCode.INVALID_REQUEST,
          "a maintenance lasts at most "
              + Durations.format(LONGEST_MAINTENANCE)
              + "; drain a node that is away for longer");
    }
    return command(name, NodeStatus.MAINTENANCE, life, reason(command), who);
  }

  private QueueNodeView command(
      String name, NodeStatus status, Duration life, String reason, String who) {
    register.command(name, status, life, reason);
    LOGGER.info("{} wants queue node {} to be {}: {}", who, name, status, reason);
    changed.run();
    return nodes.require(name);
  }

  private static String reason(NodeCommand command) {
    String reason = command.reason();
    if (reason != null && reason.length() > LONGEST_REASON) {
      throw new MillraceException(
          ErrorCode.INVALID_REQUEST, "a reason has at most " + LONGEST_REASON + " characters");
    }
    return reason;
  }

  /**
   * Forgets a node that does not come back; one that reports again is registered anew.
   *
   * @param force also when its last report showed unfinished events, which are given up then
   * @throws MillraceException UNKNOWN_NODE, or CONFLICT when it must not be forgotten yet
   */
  public void forget(String name, boolean force, String who) {
    register.forget(
        name,
        node -> {
          checkGone(node);
          checkWeight(node);
          checkEvents(node, force);
        });
    LOGGER.warn("{} had queue node {} forgotten", who, name);
    changed.run();
  }

  private static void checkGone(KnownQueueNode node) {
    boolean drained =
        node.condition() == QueueNodeCondition.SILENT && node.requested() == NodeStatus.DRAINING;
    if (node.condition() != QueueNodeCondition.LOST && !drained) {
      throw new MillraceException(
          ErrorCode.CONFLICT,
          node.name()
              + " is not lost; drain it with 'millrace node drain "
              + node.name()
              + "', stop it, and forget it then");
    }
  }

  private void checkWeight(KnownQueueNode node) {
    List<String> queues =
        weights.all().stream()
            .filter(row -> row.of(node.name()) > 0)
            .map(row -> row.of(node.name()) + " points of " + row.queue())
            .toList();
    if (!queues.isEmpty()) {
      throw new MillraceException(
          ErrorCode.CONFLICT,
          node.name()
              + " still has "
              + String.join(", ", queues)
              + "; they go to other nodes as soon as one lives that takes weight");
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
            .map(QueueNodeCommands::words)
            .collect(Collectors.joining(", "));
    if (!held.isEmpty()) {
      throw new MillraceException(
          ErrorCode.CONFLICT,
          node.name()
              + " still held "
              + held
              + " when it was heard of last; bring it back, or re-inject its store with 'millrace"
              + " queue-node rescue', or give them up with force=true");
    }
  }

  private static String words(SegmentFigures segment) {
    return segment.unfinished()
        + " unfinished events and "
        + segment.dead()
        + " dead letters of "
        + segment.queue();
  }
}
