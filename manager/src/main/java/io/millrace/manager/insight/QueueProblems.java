package io.millrace.manager.insight;

import io.millrace.api.Durations;
import io.millrace.api.NodeStatus;
import io.millrace.api.insight.Overview.Alert;
import io.millrace.api.insight.QueueView;
import io.millrace.api.pacing.PacingView.BreakerView;
import io.millrace.api.queue.QueueControl;
import io.millrace.api.queue.QueueNodeView;
import io.millrace.api.queue.SegmentFigures;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.Collectors;

/** Problems of queues and queue nodes, each with what to do about it. Pure. */
final class QueueProblems {
  // Above the target by at least as much again, and for a while: pacing follows a burst by then.
  private static final double TOLERATED_SECONDS = 60;

  private QueueProblems() {}

  static List<Alert> of(List<QueueNodeView> nodes, List<QueueView> queues, Instant now) {
    List<Alert> alerts = new ArrayList<>();
    for (QueueNodeView node : nodes) {
      silent(node, now, alerts);
      shortage(node, alerts);
      full(node, alerts);
      trouble(node, alerts);
    }
    queues.stream()
        .map(QueueView::control)
        .filter(control -> control != null && control.paused())
        .forEach(control -> alerts.add(paused(control, now)));
    queues.stream()
        .map(QueueView::breaker)
        .filter(Objects::nonNull)
        .forEach(breaker -> alerts.add(broken(breaker, now)));
    queues.stream().filter(queue -> queue.dead() > 0).forEach(queue -> alerts.add(dead(queue)));
    queues.stream()
        .filter(QueueProblems::waitsTooLong)
        .forEach(queue -> alerts.add(tooSlow(queue, now)));
    return List.copyOf(alerts);
  }

  /** A node in maintenance or drained is expected to be silent. */
  private static void silent(QueueNodeView node, Instant now, List<Alert> alerts) {
    boolean expected =
        node.status() == NodeStatus.MAINTENANCE || node.status() == NodeStatus.DRAINED;
    if (node.live() || expected) {
      return;
    }
    if (node.lost()) {
      alerts.add(lost(node).since(silentSince(node, now)));
    }
    if (node.unfinished() > 0) {
      alerts.add(silentEvents(node).since(silentSince(node, now)));
    }
  }

  private static Instant silentSince(QueueNodeView node, Instant now) {
    return now.minusMillis((long) (node.silentSeconds() * 1e3));
  }

  private static Alert lost(QueueNodeView node) {
    if (node.withdrawn()) {
      return new Alert(
          "NODE_LOST",
          node.name(),
          "the identity of %1$s was withdrawn: its points move to live nodes. 'millrace node forget %1$s' removes it from the list"
              .formatted(node.name()));
    }
    return new Alert(
        "NODE_LOST",
        node.name(),
        "%s is lost, after %s without contact: its points move to live nodes. Start it again, or run 'millrace node forget %s'"
            .formatted(node.name(), seconds(node.silentSeconds()), node.name()));
  }

  private static Alert silentEvents(QueueNodeView node) {
    List<SegmentFigures> holding =
        node.segments().stream().filter(segment -> segment.unfinished() > 0).toList();
    String queues = holding.stream().map(SegmentFigures::queue).collect(Collectors.joining(", "));
    if (node.withdrawn()) {
      return new Alert(
          "SILENT_NODE_EVENTS",
          node.name(),
          "the identity of %s was withdrawn while it held %s of %s, which %s no longer delivered: stop it and run 'millrace queue-node rescue' on its data directory, or let the machine join again"
              .formatted(
                  node.name(),
                  events(node.unfinished()),
                  queues,
                  node.unfinished() == 1 ? "is" : "are"));
    }
    double oldest =
        holding.stream().mapToDouble(SegmentFigures::oldestSeconds).max().orElse(0)
            + node.silentSeconds();
    return new Alert(
        "SILENT_NODE_EVENTS",
        node.name(),
        String.format(
            Locale.ROOT,
            "%s has been silent for %s and holds %s of %s; oldest %s: start it again, or run 'millrace queue-node rescue' on its data directory",
            node.name(),
            seconds(node.silentSeconds()),
            events(node.unfinished()),
            queues,
            seconds(oldest)));
  }

  private static void shortage(QueueNodeView node, List<Alert> alerts) {
    if (node.live() && node.shortage() != null) {
      alerts.add(
          new Alert(
              "SHORTAGE",
              node.name(),
              "the cluster is overloaded: %s cannot shed load: %s. Add a queue node, or send fewer events"
                  .formatted(node.name(), node.shortage())));
    }
  }

  private static void full(QueueNodeView node, List<Alert> alerts) {
    if (node.live() && node.full() != null) {
      alerts.add(
          new Alert(
              "DISK_FULL",
              node.name(),
              "queue node %s accepts no events: %s. Free some space in that file system, or lower its diskReserve; what it holds is delivered meanwhile"
                  .formatted(node.name(), node.full())));
    }
  }

  private static void trouble(QueueNodeView node, List<Alert> alerts) {
    for (SegmentFigures segment : node.segments()) {
      if (node.live() && segment.trouble() != null) {
        alerts.add(
            new Alert(
                "SEGMENT_TROUBLE",
                segment.queue(),
                "%s cannot serve its segment of %s: %s"
                    .formatted(node.name(), segment.queue(), segment.trouble())));
      }
    }
  }

  private static Alert paused(QueueControl control, Instant now) {
    String what =
        control.sendingPaused() && control.consumingPaused()
            ? "sending to and consuming from "
            : control.sendingPaused() ? "sending to " : "consuming from ";
    return new Alert(
            "QUEUE_PAUSED",
            control.queue(),
            "%s%s has been paused for %s by %s%s; 'millrace queue resume %s' resumes it"
                .formatted(
                    what,
                    control.queue(),
                    seconds(Duration.between(control.at(), now).toMillis() / 1e3),
                    control.by(),
                    control.reason() == null ? "" : " (" + control.reason() + ")",
                    control.queue()))
        .since(control.at());
  }

  private static Alert dead(QueueView queue) {
    return new Alert(
        "DEAD_LETTERS",
        queue.name(),
        String.format(
            Locale.ROOT,
            "queue %1$s has %2$,d dead %3$s; 'millrace queue dead list %1$s' shows the reasons, then requeue or drop them",
            queue.name(),
            queue.dead(),
            queue.dead() == 1 ? "letter" : "letters"));
  }

  private static String events(long count) {
    return count == 1 ? "1 event" : String.format(Locale.ROOT, "%,d events", count);
  }

  // What is paused or broken waits for that reason, which is a problem of its own.
  private static boolean waitsTooLong(QueueView queue) {
    Double target = queue.waitTargetSeconds();
    boolean stopped =
        queue.breaker() != null || (queue.control() != null && queue.control().consumingPaused());
    return target != null
        && !stopped
        && queue.waiting() > 0
        && queue.oldestSeconds() > Math.max(2 * target, target + TOLERATED_SECONDS);
  }

  private static Alert tooSlow(QueueView queue, Instant now) {
    double over = queue.oldestSeconds() - queue.waitTargetSeconds();
    return new Alert(
            "WAIT_TARGET_MISSED",
            queue.name(),
            String.format(
                Locale.ROOT,
                "%1$s of %2$s %5$s, the oldest for %3$s; its wait target is %4$s. 'millrace queue explain %2$s' shows what limits its workers",
                events(queue.waiting()),
                queue.name(),
                seconds(queue.oldestSeconds()),
                Durations.format(Duration.ofMillis(Math.round(queue.waitTargetSeconds() * 1e3))),
                queue.waiting() == 1 ? "waits" : "wait"))
        .since(now.minusMillis(Math.round(over * 1e3)));
  }

  private static Alert broken(BreakerView breaker, Instant now) {
    return new Alert(
            "BREAKER_OPEN",
            breaker.queue(),
            "the workers of %s fail regardless of the event: %s, for %s%s. Only probes are started, the next %s, and no failures are counted against events. 'millrace queue logs %s --failed' shows why; apply a corrected definition, and the queue resumes when %s"
                .formatted(
                    breaker.queue(),
                    breaker.reason(),
                    seconds(Duration.between(breaker.openedAt(), now).toMillis() / 1e3),
                    breaker.lastFailure() == null
                        ? ""
                        : ". The last failure: " + breaker.lastFailure(),
                    nextProbe(breaker, now),
                    breaker.queue(),
                    breaker.needed() == 1
                        ? "a probe succeeds"
                        : breaker.needed() + " probes in a row succeed"))
        .since(breaker.openedAt());
  }

  private static String nextProbe(BreakerView breaker, Instant now) {
    Instant next = breaker.nextProbeAt();
    return next == null || !next.isAfter(now)
        ? "now"
        : "in " + seconds(Duration.between(now, next).toMillis() / 1e3);
  }

  private static String seconds(double seconds) {
    return Durations.format(Duration.ofSeconds(Math.max(0, Math.round(seconds))));
  }
}
