package io.millrace.manager.insight;

import io.millrace.api.Durations;
import io.millrace.api.MessageText;
import io.millrace.api.insight.Overview.Alert;
import io.millrace.api.insight.QueueView;
import io.millrace.api.queue.QueueNodeView;
import io.millrace.api.queue.SegmentFigures;
import io.millrace.api.session.SessionView.SessionFigures;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** Problems of queues of sessions, each with what to do about it. Pure. */
final class SessionProblems {
  private static final int SHORT_ID = 8;

  private SessionProblems() {}

  static List<Alert> of(List<QueueNodeView> nodes, List<QueueView> queues, Instant now) {
    Set<String> serving =
        nodes.stream()
            .filter(node -> !node.lost())
            .map(QueueNodeView::name)
            .collect(Collectors.toSet());
    List<Alert> alerts = new ArrayList<>();
    for (QueueView queue : queues) {
      SessionFigures sessions = queue.sessions();
      if (sessions == null) {
        continue;
      }
      waiting(queue, serving, alerts);
      if (sessions.parked() > 0) {
        alerts.add(parked(queue.name(), sessions.parked()));
      }
      if (sessions.full() > 0) {
        alerts.add(full(queue.name(), sessions.full()));
      }
      if (queue.stallSeconds() != null && sessions.stalledSeconds() > queue.stallSeconds()) {
        alerts.add(stalled(queue, nodes, now));
      }
    }
    return List.copyOf(alerts);
  }

  /** While a node moves slots, others wait for it too; only a lost one does not send them. */
  private static void waiting(QueueView queue, Set<String> serving, List<Alert> alerts) {
    if (queue.awaited() == null) {
      return;
    }
    List<Map.Entry<String, Integer>> lost =
        queue.awaited().entrySet().stream()
            .filter(owner -> !serving.contains(owner.getKey()))
            .toList();
    if (lost.isEmpty()) {
      return;
    }
    String names = lost.stream().map(Map.Entry::getKey).collect(Collectors.joining(", "));
    int slots = lost.stream().mapToInt(Map.Entry::getValue).sum();
    alerts.add(
        new Alert(
            "SLOTS_WAITING",
            queue.name(),
            "sessions of %s of queue %s wait for events that only %s has: bring it back, or run 'millrace queue-node rescue' on its data directory; 'millrace node forget %s --force' gives them up"
                .formatted(
                    MessageText.counted(slots, "slot"),
                    queue.name(),
                    names,
                    lost.get(0).getKey())));
  }

  private static Alert parked(String queue, long parked) {
    return new Alert(
        "SESSIONS_PARKED",
        queue,
        "%s of queue %s %s for an operator, because an event failed too often; 'millrace session list %s --state parked' shows them, then move, close or drop them"
            .formatted(
                MessageText.counted(parked, "session"),
                queue,
                parked == 1 ? "waits" : "wait",
                queue));
  }

  private static Alert full(String queue, long full) {
    return new Alert(
        "SESSIONS_FULL",
        queue,
        "%s of queue %s %s maxPerKey events, and further ones are refused until %s worker reports a snapshot or completes it; 'millrace session list %s' shows it as full, 'millrace session close' or 'drop' ends it"
            .formatted(
                MessageText.counted(full, "session"),
                queue,
                full == 1 ? "has" : "each have",
                full == 1 ? "its" : "the",
                queue));
  }

  private static Alert stalled(QueueView queue, List<QueueNodeView> nodes, Instant now) {
    double seconds = queue.sessions().stalledSeconds();
    String where =
        nodes.stream()
            .flatMap(node -> node.segments().stream())
            .filter(segment -> segment.queue().equals(queue.name()))
            .filter(segment -> segment.sessions() != null)
            .filter(segment -> segment.sessions().stalledSeconds() >= seconds)
            .map(SegmentFigures::node)
            .sorted()
            .collect(Collectors.joining(", "));
    return new Alert(
            "SESSION_WORKER_STALLED",
            queue.name(),
            "session worker %4$s of queue %1$s at %2$s has not acknowledged an event for %3$s, although it is heard of; 'millrace session worker retire %1$s %4$s' gives its sessions to others"
                .formatted(
                    queue.name(),
                    where,
                    Durations.format(Duration.ofSeconds(Math.round(seconds))),
                    String.valueOf(queue.sessions().stalledWorker()).substring(0, SHORT_ID)))
        .since(now.minusMillis(Math.round((seconds - queue.stallSeconds()) * 1e3)));
  }
}
