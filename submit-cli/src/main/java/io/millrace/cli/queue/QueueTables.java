package io.millrace.cli.queue;

import io.millrace.api.event.PeekedEvent;
import io.millrace.api.insight.QueueView;
import io.millrace.api.pacing.PacingDecisionView;
import io.millrace.api.pacing.PacingDecisionView.PacingExplanation;
import io.millrace.api.queue.QueueControl;
import io.millrace.api.queue.QueueControl.PauseRequest;
import io.millrace.api.queue.QueueWeights;
import io.millrace.api.weight.WeightsView.WeightChange;
import io.millrace.cli.output.Ages;
import io.millrace.cli.output.Figures;
import io.millrace.cli.output.Palette.Style;
import io.millrace.cli.output.Table;
import io.millrace.cli.output.Table.Cell;
import io.millrace.cli.output.Table.Column;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Formats queues, their events and their weights as tables and text. Pure. */
final class QueueTables {
  private static final String UNLIMITED = "NONE";

  private QueueTables() {}

  /** The queues with their backlog and throughput. */
  static Table queues(List<QueueView> queues) {
    Table table =
        new Table(
            Column.left("NAME", 24),
            Column.right("WAITING"),
            Column.right("OLDEST"),
            Column.right("LEASED"),
            Column.right("DEAD"),
            Column.right("IN/S"),
            Column.right("DONE/S"),
            Column.right("WORKERS"),
            Column.right("EMPTY IN"),
            Column.right("P50"),
            Column.right("P99"),
            Column.left("WEIGHTS"),
            Column.left("STATE"));
    for (QueueView queue : queues) {
      table.row(
          queue.name(),
          queue.waiting() + queue.delayed(),
          waits(queue) ? Ages.took(queue.oldestSeconds()) : "-",
          queue.leased(),
          queue.dead() == 0 ? Cell.of(0) : Cell.of(Figures.count(queue.dead()), Style.BAD),
          Figures.rate(queue.eventRate()),
          Figures.rate(queue.doneRate()),
          queue.workersRunning() + queue.workersStarting(),
          emptyIn(queue),
          delayed(queue) ? Ages.took(queue.delayP50Seconds()) : "-",
          delayed(queue) ? Ages.took(queue.delayP99Seconds()) : "-",
          weights(queue.weights()),
          state(queue));
    }
    return table;
  }

  /** Whether an event waits for a worker; one of a parked session waits for an operator. */
  static boolean waits(QueueView queue) {
    return queue.sessions() == null ? queue.waiting() > 0 : queue.sessions().unassigned() > 0;
  }

  /** Whether delays from stored to done are known; those of sessions are not measured. */
  static boolean delayed(QueueView queue) {
    return queue.sessions() == null && queue.acknowledged() > 0;
  }

  private static Cell state(QueueView queue) {
    if (queue.trouble() != null) {
      return Cell.of("problem", Style.BAD);
    }
    if (queue.deleting()) {
      return Cell.of("deleting", Style.WARNING);
    }
    if (queue.breaker() != null) {
      return Cell.of("breaker open", Style.BAD);
    }
    if (queue.control() != null && queue.control().paused()) {
      return Cell.of(control(queue.control()), Style.WARNING);
    }
    return queue.override() == null
        ? Cell.of("", Style.PLAIN)
        : Cell.of("limits overridden", Style.WARNING);
  }

  /** Unfinished events. */
  static Table events(List<PeekedEvent> events) {
    Table table =
        new Table(
            Column.left("ID"),
            Column.left("NODE", 24),
            Column.left("STATE"),
            Column.right("ENDS IN"),
            Column.right("PRIORITY"),
            Column.right("AGE"),
            Column.right("DELIVERED"),
            Column.right("FAILED"),
            Column.left("DATA", 60));
    for (PeekedEvent event : events) {
      table.row(
          event.id(),
          event.node(),
          event.state(),
          event.heldSeconds() <= 0 ? "-" : Ages.took(event.heldSeconds()),
          event.priority(),
          Ages.took(event.ageSeconds()),
          event.deliveries(),
          event.failures(),
          data(event));
    }
    return table;
  }

  private static String data(PeekedEvent event) {
    return event.omittedBytes() == null
        ? String.valueOf(event.data())
        : "(" + event.omittedBytes() + " bytes, not shown)";
  }

  /** Weight points by node; null means none. */
  static Table points(QueueWeights weights) {
    Table table = new Table(Column.left("NODE", 24), Column.right("POINTS"));
    if (weights != null) {
      new TreeMap<>(weights.points()).forEach(table::row);
    }
    return table;
  }

  /** Versions of the weights, newest first. */
  static Table versions(List<WeightChange> oldestFirst, Instant now) {
    Table table =
        new Table(
            Column.right("VERSION"),
            Column.right("AGO"),
            Column.left("KIND"),
            Column.left("POINTS"),
            Column.left("REASON"));
    List<WeightChange> newestFirst = new ArrayList<>(oldestFirst);
    Collections.reverse(newestFirst);
    for (WeightChange change : newestFirst) {
      table.row(
          String.valueOf(change.version()),
          Ages.since(change.at(), now),
          change.kind() == null
              ? "-"
              : change.kind().name().toLowerCase(Locale.ROOT).replace('_', '-'),
          weights(change.points()),
          change.reason() == null ? "" : change.reason());
    }
    return table;
  }

  /** Decisions about the number of workers. */
  static Table decisions(PacingExplanation explanation) {
    Table table =
        new Table(
            Column.right("AGO"),
            Column.left("NODE", 20),
            Column.right("START"),
            Column.right("WANTED"),
            Column.right("WAITING"),
            Column.right("ARRIVALS/S"),
            Column.right("STARTING"),
            Column.right("RUNNING"),
            Column.left("GATE", 22),
            Column.left("REASON", 200));
    for (PacingDecisionView decision : explanation.decisions()) {
      table.row(
          Ages.since(decision.at(), explanation.at()),
          decision.node(),
          decision.start(),
          figure(decision, "wanted"),
          figure(decision, "waiting"),
          figure(decision, "arrivalRate"),
          figure(decision, "starting"),
          figure(decision, "running"),
          decision.gate().equals(UNLIMITED) ? "-" : Cell.of(decision.gate(), Style.WARNING),
          decision.reason());
    }
    return table;
  }

  private static String figure(PacingDecisionView decision, String name) {
    Map<String, Double> inputs = decision.inputs() == null ? Map.of() : decision.inputs();
    Double value = inputs.get(name);
    if (value == null) {
      return "-";
    }
    return value == Math.rint(value) ? Figures.count(value.longValue()) : Figures.rate(value);
  }

  /** What is paused: {@code consuming paused by ann: bad deploy}; {@code not paused}. */
  static String control(QueueControl control) {
    if (control == null || !control.paused()) {
      return "not paused";
    }
    return parts(control.sendingPaused(), control.consumingPaused()) + " " + control.words();
  }

  /**
   * What a request to resume has changed: {@code sending and consuming resumed}, {@code consuming
   * was not paused}.
   *
   * @param before what was paused; null for nothing
   */
  static String resumed(QueueControl before, PauseRequest request) {
    boolean sending = before != null && before.sendingPaused() && request.sending();
    boolean consuming = before != null && before.consumingPaused() && request.consuming();
    if (sending || consuming) {
      return parts(sending, consuming) + " resumed";
    }
    return request.sending() && request.consuming()
        ? "was not paused"
        : parts(request.sending(), request.consuming()) + " was not paused";
  }

  private static String parts(boolean sending, boolean consuming) {
    return sending && consuming ? "sending and consuming" : sending ? "sending" : "consuming";
  }

  /**
   * Time until the backlog is empty: {@code 3m07s}; a dash if nothing is waiting, {@code paused} if
   * consuming is, {@code backlog growing} if more events arrive than are done, which they do not
   * where none are accepted, and else {@code no progress}.
   */
  static String emptyIn(QueueView queue) {
    if (queue.waiting() == 0) {
      return "-";
    }
    // A paused queue grows because it is paused, and the rates of before the pause say nothing.
    if (queue.control() != null && queue.control().consumingPaused()) {
      return "paused";
    }
    if (queue.secondsToEmpty() != null) {
      return Ages.took(queue.secondsToEmpty());
    }
    return queue.takesEvents() && queue.eventRate() > queue.doneRate()
        ? "backlog growing"
        : "no progress";
  }

  /** Weight points: {@code q1:500 q2:500}; a dash when there are none. */
  static String weights(Map<String, Integer> weights) {
    if (weights == null || weights.isEmpty()) {
      return "-";
    }
    return new TreeMap<>(weights)
        .entrySet().stream()
            .map(share -> share.getKey() + ":" + share.getValue())
            .collect(Collectors.joining(" "));
  }
}
