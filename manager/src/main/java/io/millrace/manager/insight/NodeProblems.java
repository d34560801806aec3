package io.millrace.manager.insight;

import io.millrace.api.Durations;
import io.millrace.api.NodeStatus;
import io.millrace.api.insight.Overview.Alert;
import io.millrace.api.node.ExecutionNodeView;
import io.millrace.api.node.ExecutionNodeView.DenylistEntry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Problems of execution nodes. Pure. */
final class NodeProblems {
  private static final Duration SMALL_OFFSET = Duration.ofSeconds(2);
  private static final double SILENT_SECONDS = 10;

  private NodeProblems() {}

  static List<Alert> of(List<ExecutionNodeView> nodes) {
    List<Alert> alerts = new ArrayList<>();
    for (ExecutionNodeView node : nodes) {
      silent(node, alerts);
      if (!node.lost()) {
        disk(node, alerts);
        clock(node, alerts);
        node.closures().forEach(denial -> alerts.add(denied(node, denial)));
      }
    }
    return alerts;
  }

  private static void silent(ExecutionNodeView node, List<Alert> alerts) {
    boolean unreachable = node.lost() || node.silentSeconds() > SILENT_SECONDS;
    boolean expected = node.status() == NodeStatus.MAINTENANCE;
    if (unreachable && !expected && !node.attempts().isEmpty()) {
      alerts.add(
          new Alert(
              "EXECUTION_NODE_SILENT",
              node.name(),
              "execution node %s has been silent for %s, and %d attempts may still run there until their failover time has passed; start it again, or wait"
                  .formatted(node.name(), seconds(node.silentSeconds()), node.attempts().size())));
    } else if (node.status() == NodeStatus.LOST) {
      alerts.add(
          new Alert(
              "EXECUTION_NODE_LOST",
              node.name(),
              "execution node %s has been unreachable for %s; its jobs run elsewhere. Start it again, or do nothing: it is removed after a while"
                  .formatted(node.name(), seconds(node.silentSeconds()))));
    }
  }

  private static void disk(ExecutionNodeView node, List<Alert> alerts) {
    if (!node.accepting() && node.status() == NodeStatus.ACTIVE) {
      alerts.add(
          new Alert(
              "DISK_FULL",
              node.name(),
              "execution node %s takes no new jobs because its disk is nearly full; free some space in its data directory's file system, or lower its diskReserve"
                  .formatted(node.name())));
    }
  }

  private static void clock(ExecutionNodeView node, List<Alert> alerts) {
    if (node.clockOffsetMillis() == null) {
      return;
    }
    Duration offset = Duration.ofMillis(node.clockOffsetMillis());
    if (offset.abs().compareTo(SMALL_OFFSET) > 0) {
      alerts.add(
          new Alert(
              "CLOCK_OFFSET",
              node.name(),
              "the clock of execution node %s is %s %s the database's; timestamps in its logs are off by that much; check NTP on that host"
                  .formatted(
                      node.name(),
                      seconds(offset.abs().toMillis() / 1000.0),
                      offset.isNegative() ? "behind" : "ahead of")));
    }
  }

  private static Alert denied(ExecutionNodeView node, DenylistEntry denial) {
    if (denial.quickFailures() == 0) {
      return new Alert(
          "NODE_CLOSED",
          node.name(),
          "execution node %s is on the denylist of %s until %s, because it refused a job (%s). Check the users in limits of that node"
              .formatted(node.name(), denial.definition(), denial.until(), denial.reason()));
    }
    return new Alert(
        "NODE_CLOSED",
        node.name(),
        "execution node %s is on the denylist of %s until %s, after %d failures in a row (%s); it succeeds on other nodes. Check what differs on that node"
            .formatted(
                node.name(),
                denial.definition(),
                denial.until(),
                denial.quickFailures(),
                denial.reason()));
  }

  private static String seconds(double seconds) {
    return Durations.format(Duration.ofSeconds(Math.max(0, Math.round(seconds))));
  }
}
