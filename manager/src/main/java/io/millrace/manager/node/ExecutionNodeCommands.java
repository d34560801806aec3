package io.millrace.manager.node;

import io.millrace.api.Durations;
import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.node.ExecutionNodeView;
import io.millrace.api.node.NodeCommand;
import io.millrace.api.node.NodeStatus;
import io.millrace.manager.job.WakeUps;
import io.millrace.manager.node.NodeOrderDao.NodeOrder;
import io.millrace.platform.database.Database;
import io.millrace.platform.database.DatabaseTime;
import java.time.Duration;
import java.time.Instant;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What operators want of execution nodes. Thread-safe; every method blocks on the database. */
public final class ExecutionNodeCommands {
  private static final Logger LOGGER = LoggerFactory.getLogger(ExecutionNodeCommands.class);
  private static final Duration LONGEST = Duration.ofDays(7);
  private static final int LONGEST_REASON = 1_000;

  private final Database database;
  private final DatabaseTime time;
  private final NodeDao nodes = new NodeDao();
  private final NodeOrderDao orders = new NodeOrderDao();
  private final ExecutionNodeViews views;
  private final WakeUps wakeUps;

  public ExecutionNodeCommands(Database database, ExecutionNodeViews views, WakeUps wakeUps) {
    this.database = database;
    this.time = new DatabaseTime(database.dialect());
    this.views = views;
    this.wakeUps = wakeUps;
  }

  /**
   * No new jobs for the node until it is undrained.
   *
   * @param command with a duration, what still runs then is stopped and runs elsewhere
   */
  public ExecutionNodeView drain(String name, NodeCommand command, String who) {
    Duration life = command.duration();
    if (life != null && life.isNegative()) {
      throw refuse("duration: a draining's deadline is not in the past, as " + life + " is");
    }
    return order(name, NodeStatus.DRAINING, bounded(life), reason(command), who);
  }

  /** Ends a draining or a maintenance: the node takes jobs again. */
  public ExecutionNodeView undrain(String name, String who) {
    return order(name, NodeStatus.ACTIVE, null, null, who);
  }

  /**
   * No new jobs for so long; if the node goes away meanwhile, its attempts are not given up before
   * the end and one full lease more.
   */
  public ExecutionNodeView maintain(String name, NodeCommand command, String who) {
    Duration life = command.duration();
    if (life == null || life.isNegative() || life.isZero()) {
      throw refuse("duration: a maintenance needs one, such as \"5m\"");
    }
    return order(name, NodeStatus.MAINTENANCE, bounded(life), reason(command), who);
  }

  private ExecutionNodeView order(
      String name, NodeStatus status, Duration life, String reason, String who) {
    database.transaction(
        handle -> {
          NodeRow node =
              nodes
                  .lockByName(handle, name)
                  .filter(row -> row.kind() == NodeKind.EXECUTION)
                  .orElseThrow(() -> ExecutionNodeViews.unknown(name));
          Instant until = life == null ? null : time.now(handle).plus(life);
          orders.write(handle, node.id(), new NodeOrder(status, until, reason));
          wakeUps.nodeChanged(handle, node.id());
          wakeUps.ready(handle);
          return null;
        });
    LOGGER.info("{} wants execution node {} to be {}: {}", who, name, status, reason);
    return views.require(name);
  }

  private static Duration bounded(Duration life) {
    if (life != null && life.compareTo(LONGEST) > 0) {
      throw refuse("duration: at most " + Durations.format(LONGEST));
    }
    return life;
  }

  private static String reason(NodeCommand command) {
    String reason = command.reason();
    if (reason != null && reason.length() > LONGEST_REASON) {
      throw refuse("reason: at most " + LONGEST_REASON + " characters");
    }
    return reason;
  }

  private static MillraceException refuse(String words) {
    return new MillraceException(ErrorCode.INVALID_REQUEST, words);
  }
}
