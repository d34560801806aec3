package io.millrace.manager.insight;

import io.millrace.api.Durations;
import io.millrace.api.MessageText;
import io.millrace.api.NodeStatus;
import io.millrace.api.insight.Overview.Alert;
import io.millrace.api.node.ExecutionNodeView;
import io.millrace.api.node.ExecutionNodeView.DenylistEntry;
import io.millrace.manager.node.NodeRegistry.RegisteredNode;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** Problems of execution nodes. Pure. */
final class NodeProblems {
  private static final Duration SMALL_OFFSET = Duration.ofSeconds(2);
  private static final double SILENT_SECONDS = 10;

  private NodeProblems() {}

  static List<Alert> of(List<ExecutionNodeView> nodes, Instant now) {
    List<Alert> alerts = new ArrayList<>();
    for (ExecutionNodeView node : nodes) {
      silent(node, now, alerts);
      if (!node.lost()) {
        disk(node, alerts);
        clock(node, alerts);
        node.closures().forEach(denial -> alerts.add(denied(node, denial)));
      }
    }
    return alerts;
  }

  private static void silent(ExecutionNodeView node, Instant now, List<Alert> alerts) {
    Instant since = now.minusMillis((long) (node.silentSeconds() * 1e3));
    boolean unreachable = node.lost() || node.silentSeconds() > SILENT_SECONDS;
    boolean expected = node.status() == NodeStatus.MAINTENANCE;
    if (unreachable && !expected && !node.attempts().isEmpty()) {
      alerts.add(
          new Alert(
                  "EXECUTION_NODE_SILENT",
                  node.name(),
                  "execution node %s has been silent for %s, and %s may still run there until their failover time has passed; start it again, or wait"
                      .formatted(
                          node.name(),
                          seconds(node.silentSeconds()),
                          MessageText.counted(node.attempts().size(), "attempt")))
              .since(since));
    } else if (node.status() == NodeStatus.LOST) {
      alerts.add(
          new Alert(
                  "EXECUTION_NODE_LOST",
                  node.name(),
                  "execution node %s has been unreachable for %s; its jobs run elsewhere. Start it again, or do nothing: it is removed after a while"
                      .formatted(node.name(), seconds(node.silentSeconds())))
              .since(since));
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

  /** Load balancers that are lost, until they are forgotten. */
  static List<Alert> balancers(List<RegisteredNode> lost, Instant now) {
    return lost.stream()
        .map(
            node ->
                new Alert(
                        "BALANCER_LOST",
                        node.name(),
                        "load balancer %s has been unreachable for %s; senders use the others. Start it again, or do nothing: it is removed after a while"
                            .formatted(node.name(), seconds(node.silentSeconds())))
                    .since(now.minusMillis((long) (node.silentSeconds() * 1e3))))
        .toList();
  }

  private static Alert denied(ExecutionNodeView node, DenylistEntry denial) {
    if (denial.quickFailures() == 0) {
      return new Alert(
          "NODE_CLOSED",
          node.name(),
          "execution node %s takes no jobs of %s until %s, because it refused a job (%s). Check the users in limits of that node"
              .formatted(node.name(), denial.definition(), denial.until(), denial.reason()));
    }
    return new Alert(
        "NODE_CLOSED",
        node.name(),
        "execution node %s takes no jobs of %s until %s: %s. Check what differs on that node"
            .formatted(node.name(), denial.definition(), denial.until(), denial.reason()));
  }

  private static String seconds(double seconds) {
    return Durations.format(Duration.ofSeconds(Math.max(0, Math.round(seconds))));
  }
}
