package io.millrace.manager.node;

import io.millrace.api.Durations;
import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.NodeStatus;
import io.millrace.api.node.ExecutionNodeView;
import io.millrace.api.node.NodeAllowance;
import io.millrace.api.node.NodeCommand;
import io.millrace.manager.job.WakeUps;
import io.millrace.manager.node.RequestedStatusDao.RequestedStatus;
import io.millrace.platform.database.Database;
import io.millrace.platform.database.DatabaseTime;
import java.time.Duration;
import java.time.Instant;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Carries out commands of operators on execution nodes. Thread-safe; blocks on the database. */
public final class ExecutionNodeCommands {
  private static final Logger LOGGER = LoggerFactory.getLogger(ExecutionNodeCommands.class);
  private static final Duration LONGEST = Duration.ofDays(7);
  private static final int LONGEST_REASON = 1_000;
  private static final int LONGEST_DEFINITION = 400;

  private final Database database;
  private final DatabaseTime time;
  private final NodeDao nodes = new NodeDao();
  private final RequestedStatusDao statuses = new RequestedStatusDao();
  private final NewNodeDrainDao newNodes = new NewNodeDrainDao();
  private final ExecutionNodeViews views;
  private final WakeUps wakeUps;

  public ExecutionNodeCommands(Database database, ExecutionNodeViews views, WakeUps wakeUps) {
    this.database = database;
    this.time = new DatabaseTime(database.dialect());
    this.views = views;
    this.wakeUps = wakeUps;
  }

  /**
   * Gives no new jobs to the node until it is undrained.
   *
   * @param command with a duration, jobs that still run after it are stopped and run elsewhere
   */
  public ExecutionNodeView drain(String name, NodeCommand command, String actor) {
    Duration duration = command.duration();
    if (duration != null && duration.isNegative()) {
      throw refuse("duration: must not be negative (got " + duration + ")");
    }
    return request(name, NodeStatus.DRAINING, bounded(duration), reason(command), actor);
  }

  /**
   * Ends a drain or a maintenance: the node takes jobs again. So do nodes that register for the
   * first time from now on, if they were to be drained since a restoration.
   */
  public ExecutionNodeView undrain(String name, String actor) {
    return request(name, NodeStatus.ACTIVE, null, null, actor);
  }

  /**
   * Gives no new jobs to the node for that time; if it becomes silent meanwhile, its attempts are
   * not declared lost before the end and a full lease.
   */
  public ExecutionNodeView maintain(String name, NodeCommand command, String actor) {
    Duration duration = command.duration();
    if (duration == null || duration.isNegative() || duration.isZero()) {
      throw refuse("duration: missing; give a positive one such as \"5m\"");
    }
    return request(name, NodeStatus.MAINTENANCE, bounded(duration), reason(command), actor);
  }

  /**
   * Ends the denial of a definition, or of a user, to a node, and forgets the failures that were
   * its evidence.
   *
   * @throws MillraceException UNKNOWN_NODE; CONFLICT if the node is not denied it
   */
  public ExecutionNodeView allow(String name, NodeAllowance allowance, String actor) {
    String definition = allowance.definition();
    if (definition == null || definition.isBlank() || definition.length() > LONGEST_DEFINITION) {
      throw refuse("definition: missing or too long; write it as 'millrace node show' does");
    }
    boolean lifted =
        database.transaction(
            handle -> {
              NodeRow node =
                  nodes
                      .lockByName(handle, name)
                      .filter(row -> row.kind() == NodeKind.EXECUTION)
                      .orElseThrow(() -> ExecutionNodeViews.unknown(name));
              wakeUps.ready(handle);
              return views.denylist().lift(handle, node.id(), definition);
            });
    if (!lifted) {
      throw new MillraceException(
          ErrorCode.CONFLICT,
          "%2$s is not denied to node %1$s; see 'millrace node show %1$s'"
              .formatted(name, definition));
    }
    LOGGER.info("{} ended the denial of {} to execution node {}", actor, definition, name);
    return views.require(name);
  }

  private ExecutionNodeView request(
      String name, NodeStatus status, Duration duration, String reason, String actor) {
    database.transaction(
        handle -> {
          NodeRow node =
              nodes
                  .lockByName(handle, name)
                  .filter(row -> row.kind() == NodeKind.EXECUTION)
                  .orElseThrow(() -> ExecutionNodeViews.unknown(name));
          Instant until = duration == null ? null : time.now(handle).plus(duration);
          statuses.write(handle, node.id(), new RequestedStatus(status, until, reason));
          if (status == NodeStatus.ACTIVE) {
            newNodes.delete(handle);
          }
          wakeUps.nodeChanged(handle, node.id());
          wakeUps.ready(handle);
          return null;
        });
    LOGGER.info("{} set execution node {} to {}: {}", actor, name, status, reason);
    return views.require(name);
  }

  private static Duration bounded(Duration duration) {
    if (duration != null && duration.compareTo(LONGEST) > 0) {
      throw refuse("duration: at most " + Durations.format(LONGEST));
    }
    return duration;
  }

  private static String reason(NodeCommand command) {
    String reason = command.reason();
    if (reason != null && reason.length() > LONGEST_REASON) {
      throw refuse("reason: at most " + LONGEST_REASON + " characters");
    }
    return reason;
  }

  private static MillraceException refuse(String message) {
    return new MillraceException(ErrorCode.INVALID_REQUEST, message);
  }
}
