package io.millrace.manager.pacing;

import io.millrace.api.Durations;
import io.millrace.api.insight.QueueView;
import io.millrace.api.pacing.BreakerView;
import io.millrace.api.pacing.PacingDecisionView;
import io.millrace.api.queue.QueueDefinition;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** Says in plain words why a queue has as many workers as it has. Pure. */
public final class PacingMessages {
  private final QueueView queue;
  private final QueueDefinition definition;
  private final Instant now;
  private final List<String> words = new ArrayList<>();

  /**
   * About one queue.
   *
   * @param definition with what operators have set for a while
   * @param now by the database's clock
   */
  public PacingMessages(QueueView queue, QueueDefinition definition, Instant now) {
    this.queue = queue;
    this.definition = definition;
    this.now = now;
  }

  /**
   * Sentences, the most telling first.
   *
   * @param latest the latest decision of each segment, by node
   * @param since how far back the others go
   * @param decisions of that time, newest first
   */
  public List<String> of(
      Map<String, PacingDecisionView> latest, Duration since, List<PacingDecisionView> decisions) {
    if (definition.worker() == null) {
      return List.of(
          queue.name() + " has no worker in its definition: its events are taken through the API");
    }
    workers();
    stops();
    latest.forEach(this::segment);
    if (latest.isEmpty()) {
      words.add(
          "no queue manager has decided anything yet; 'millrace queue show "
              + queue.name()
              + "' shows the managers, 'millrace problems' why one may not run");
    }
    events();
    history(since, decisions);
    return List.copyOf(words);
  }

  private void workers() {
    words.add(
        queue.name()
            + " has "
            + count(queue.workersStarting() + queue.workersRunning(), "worker")
            + " of at most "
            + definition.pacing().maxWorkers()
            + ": "
            + queue.workersRunning()
            + " running, "
            + queue.workersStarting()
            + " waiting for a slot");
  }

  private void stops() {
    if (queue.control() != null && queue.control().consumingPaused()) {
      words.add("nothing is started: " + queue.control().words());
    }
    if (queue.breaker() != null) {
      words.add(
          "only probes are started, since "
              + queue.breaker().openedAt()
              + ": "
              + queue.breaker().reason()
              + "; "
              + queue.breaker().succeeded()
              + " of "
              + queue.breaker().needed()
              + " probes succeeded, "
              + nextProbe(queue.breaker())
              + lastFailure(queue.breaker())
              + ". Apply a mended definition; it goes on by itself when the probes succeed");
    }
    if (queue.override() != null) {
      words.add("for a while: " + queue.override().words());
    }
  }

  private String nextProbe(BreakerView breaker) {
    Instant next = breaker.nextProbeAt();
    return next == null || !next.isAfter(now)
        ? "the next is due"
        : "the next is due in " + whole(Duration.between(now, next));
  }

  private static String lastFailure(BreakerView breaker) {
    return breaker.lastFailure() == null ? "" : "; the last failed run: " + breaker.lastFailure();
  }

  private void segment(String node, PacingDecisionView decision) {
    String start =
        decision.start() == 0 ? "started nothing" : "started " + count(decision.start(), "worker");
    String held = Gate.limits(decision.gate()) ? "; limited: " + Gate.explain(decision.gate()) : "";
    words.add(
        node
            + ", "
            + ago(decision.at())
            + " ago: "
            + start
            + ", because "
            + decision.reason()
            + held);
  }

  private void events() {
    if (definition.external()) {
      // How many wait there is in the decision alone.
      return;
    }
    words.add(
        queue.waiting() == 0
            ? "no event waits"
            : String.format(
                Locale.ROOT,
                "%s, the oldest for %.1f s; the wait target is %s",
                queue.waiting() == 1 ? "1 event waits" : queue.waiting() + " events wait",
                queue.oldestSeconds(),
                Durations.format(definition.pacing().waitTarget())));
  }

  private void history(Duration since, List<PacingDecisionView> decisions) {
    long started = decisions.stream().mapToLong(PacingDecisionView::start).sum();
    StringBuilder sentence =
        new StringBuilder("in the last ")
            .append(Durations.format(since))
            .append(": ")
            .append(count(started, "worker"))
            .append(" started by ")
            .append(count(decisions.size(), "kept decision"));
    Map<String, Integer> gates = new TreeMap<>();
    decisions.stream()
        .map(PacingDecisionView::gate)
        .filter(Gate::limits)
        .forEach(gate -> gates.merge(gate, 1, Integer::sum));
    gates.forEach(
        (gate, times) ->
            sentence.append("; ").append(gate).append(" held ").append(times).append(" of them"));
    words.add(sentence.toString());
  }

  /** The latest decision of each segment, of decisions newest first. */
  public static Map<String, PacingDecisionView> latest(List<PacingDecisionView> decisions) {
    Map<String, PacingDecisionView> latest = new LinkedHashMap<>();
    decisions.forEach(decision -> latest.putIfAbsent(decision.node(), decision));
    return new TreeMap<>(latest);
  }

  private String ago(Instant at) {
    return whole(Duration.between(at, now));
  }

  private static String whole(Duration time) {
    return Durations.format(Duration.ofSeconds(Math.max(0, time.toSeconds())));
  }

  private static String count(long number, String what) {
    return number + " " + what + (number == 1 ? "" : "s");
  }
}
