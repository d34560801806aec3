package io.millrace.manager.pacing;

import io.millrace.api.Durations;
import io.millrace.api.insight.QueueView;
import io.millrace.api.pacing.PacingDecisionView;
import io.millrace.api.pacing.PacingView.BreakerView;
import io.millrace.api.queue.QueueDefinition;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** Explains why a queue has as many workers as it has. Pure. */
public final class PacingMessages {
  private final QueueView queue;
  private final QueueDefinition definition;
  private final Instant now;
  private final List<String> sentences = new ArrayList<>();

  /**
   * Explains one queue.
   *
   * @param definition with the override in force
   * @param now by the database's clock
   */
  public PacingMessages(QueueView queue, QueueDefinition definition, Instant now) {
    this.queue = queue;
    this.definition = definition;
    this.now = now;
  }

  /**
   * The explanation as sentences, the most important first.
   *
   * @param latest the latest decision of each segment, by node
   * @param since how far back the decisions go
   * @param decisions of that period, newest first
   */
  public List<String> of(
      Map<String, PacingDecisionView> latest, Duration since, List<PacingDecisionView> decisions) {
    if (definition.worker() == null) {
      return List.of(queue.name() + " defines no worker: its events are consumed through the API");
    }
    workers();
    stops();
    latest.forEach(this::segment);
    if (latest.isEmpty()) {
      sentences.add(
          "no queue manager has made a decision yet; 'millrace queue show %s' shows the managers, 'millrace problems' why one may not be running"
              .formatted(queue.name()));
    }
    events();
    history(since, decisions);
    return List.copyOf(sentences);
  }

  private void workers() {
    sentences.add(
        "%s has %s of at most %d: %d running, %d waiting for a slot"
            .formatted(
                queue.name(),
                count(queue.workersStarting() + queue.workersRunning(), "worker"),
                definition.pacing().maxWorkers(),
                queue.workersRunning(),
                queue.workersStarting()));
  }

  private void stops() {
    if (queue.control() != null && queue.control().consumingPaused()) {
      sentences.add("no worker is started: " + queue.control().words());
    }
    if (queue.breaker() != null) {
      BreakerView breaker = queue.breaker();
      sentences.add(
          "only probes have been started since %s: %s; %d of %d probes succeeded, %s%s. Apply a fixed definition; the breaker closes when the probes succeed"
              .formatted(
                  breaker.openedAt(),
                  breaker.reason(),
                  breaker.succeeded(),
                  breaker.needed(),
                  nextProbe(breaker),
                  lastFailure(breaker)));
    }
    if (queue.override() != null) {
      sentences.add("temporary override: " + queue.override().words());
    }
  }

  private String nextProbe(BreakerView breaker) {
    Instant next = breaker.nextProbeAt();
    return next == null || !next.isAfter(now)
        ? "the next is due"
        : "the next is due in " + seconds(Duration.between(now, next));
  }

  private static String lastFailure(BreakerView breaker) {
    return breaker.lastFailure() == null ? "" : "; last failed run: " + breaker.lastFailure();
  }

  private void segment(String node, PacingDecisionView decision) {
    String started =
        decision.start() == 0
            ? "started no workers"
            : "started " + count(decision.start(), "worker") + refilled(decision);
    String limited =
        Gate.limits(decision.gate()) ? "; limited: " + Gate.explain(decision.gate()) : "";
    sentences.add(
        "%s, %s ago: %s: %s%s"
            .formatted(node, ago(decision.at()), started, decision.reason(), limited));
  }

  private static String refilled(PacingDecisionView decision) {
    Double refilled =
        decision.inputs() == null ? null : decision.inputs().get(DecisionFigure.REFILLED.key());
    return refilled == null
        ? ""
        : ", %d of them since the previous decision in places that became free"
            .formatted(refilled.intValue());
  }

  private void events() {
    if (definition.external()) {
      // How many events are waiting is known to the decision only.
      return;
    }
    if (queue.sessions() != null) {
      sentences.add(
          "%s without a worker, %d with one, %d parked; its workers have room for %d"
              .formatted(
                  count(queue.sessions().unassigned(), "session"),
                  queue.sessions().assigned(),
                  queue.sessions().parked(),
                  queue.sessions().capacity()));
      return;
    }
    sentences.add(
        queue.waiting() == 0
            ? "no event is waiting"
            : String.format(
                Locale.ROOT,
                "%s, the oldest for %.1f s; the wait target is %s",
                queue.waiting() == 1
                    ? "1 event is waiting"
                    : queue.waiting() + " events are waiting",
                queue.oldestSeconds(),
                Durations.format(definition.pacing().waitTarget())));
  }

  private void history(Duration since, List<PacingDecisionView> decisions) {
    long started = decisions.stream().mapToLong(PacingDecisionView::start).sum();
    StringBuilder sentence =
        new StringBuilder(
            "in the last %s: %s started by %s"
                .formatted(
                    Durations.format(since),
                    count(started, "worker"),
                    count(decisions.size(), "recorded decision")));
    Map<String, Integer> gates = new TreeMap<>();
    decisions.stream()
        .map(PacingDecisionView::gate)
        .filter(Gate::limits)
        .forEach(gate -> gates.merge(gate, 1, Integer::sum));
    gates.forEach(
        (gate, times) -> sentence.append("; ").append(times).append(" limited by ").append(gate));
    sentences.add(sentence.toString());
  }

  /** The latest decision of each segment, of decisions newest first. */
  public static Map<String, PacingDecisionView> latest(List<PacingDecisionView> decisions) {
    Map<String, PacingDecisionView> latest = new LinkedHashMap<>();
    decisions.forEach(decision -> latest.putIfAbsent(decision.node(), decision));
    return new TreeMap<>(latest);
  }

  private String ago(Instant at) {
    return seconds(Duration.between(at, now));
  }

  private static String seconds(Duration time) {
    return Durations.format(Duration.ofSeconds(Math.max(0, time.toSeconds())));
  }

  private static String count(long number, String what) {
    return number + " " + what + (number == 1 ? "" : "s");
  }
}
