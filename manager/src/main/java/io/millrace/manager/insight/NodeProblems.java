package io.millrace.manager.insight;

import io.millrace.api.Durations;
import io.millrace.api.insight.Overview.Alert;
import io.millrace.api.node.ExecutionNodeView;
import io.millrace.api.node.ExecutionNodeView.DenylistEntry;
import io.millrace.api.node.NodeStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** What is wrong with execution nodes. Pure. */
final class NodeProblems {
  private static final Duration SMALL_OFFSET = Duration.ofSeconds(2);
  private static final double SILENT_SECONDS = 10;

  private NodeProblems() {}

  static List<Alert> of(List<ExecutionNodeView> nodes) {
    List<Alert> alerts = new ArrayList<>();
    for (ExecutionNodeView node : nodes) {
      silent(node, alerts);
      if (node.status() != NodeStatus.LOST && node.status() != NodeStatus.DRAINED) {
        disk(node, alerts);
        clock(node, alerts);
        node.closures().forEach(closure -> alerts.add(closed(node, closure)));
      }
    }
    return alerts;
  }

  private static void silent(ExecutionNodeView node, List<Alert> alerts) {
    boolean gone = node.status() == NodeStatus.LOST || node.silentSeconds() > SILENT_SECONDS;
    boolean expected = node.status() == NodeStatus.MAINTENANCE;
    if (gone && !expected && !node.attempts().isEmpty()) {
      alerts.add(
          new Alert(
              "EXECUTION_NODE_SILENT",
              node.name(),
              "execution node "
                  + node.name()
                  + " is silent for "
                  + seconds(node.silentSeconds())
                  + ", and "
                  + node.attempts().size()
                  + " attempts may still run there until their failover time is over; start it"
                  + " again, or wait"));
    } else if (node.status() == NodeStatus.LOST) {
      alerts.add(
          new Alert(
              "EXECUTION_NODE_LOST",
              node.name(),
              "execution node "
                  + node.name()
                  + " has been unreachable for "
                  + seconds(node.silentSeconds())
                  + "; its jobs run elsewhere. Start it again, or do nothing: it is forgotten"
                  + " after a while"));
    }
  }

  private static void disk(ExecutionNodeView node, List<Alert> alerts) {
    if (!node.accepting() && node.status() == NodeStatus.ACTIVE) {
      alerts.add(
          new Alert(
              "DISK_FULL",
              node.name(),
              "execution node "
                  + node.name()
                  + " takes no new jobs because its disk is nearly full; free some space in its"
                  + " data directory's file system, or lower its diskReserve"));
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
              "the clock of execution node "
                  + node.name()
                  + " is "
                  + seconds(offset.abs().toMillis() / 1000.0)
                  + (offset.isNegative() ? " behind" : " ahead of")
                  + " the database's; times in its logs are as wrong. Check NTP there"));
    }
  }

  private static Alert closed(ExecutionNodeView node, DenylistEntry closure) {
    return new Alert(
        "NODE_CLOSED",
        node.name(),
        "execution node "
            + node.name()
            + " gets no "
            + closure.definition()
            + " until "
            + closure.until()
            + ": it failed there "
            + closure.quickFailures()
            + " times in a row and succeeds elsewhere ("
            + closure.reason()
            + "). Find out what is different there");
  }

  private static String seconds(double seconds) {
    return Durations.format(Duration.ofSeconds(Math.max(0, Math.round(seconds))));
  }
}
