package io.millrace.cli.queue;

import io.millrace.api.Durations;
import io.millrace.api.insight.QueueDetails;
import io.millrace.api.insight.QueueDetails.FailedRun;
import io.millrace.api.insight.QueueView;
import io.millrace.api.pacing.PacingView.BreakerView;
import io.millrace.api.queue.PacingDefinition;
import io.millrace.api.queue.QueueDefinition;
import io.millrace.api.queue.SegmentFigures;
import io.millrace.api.queue.WorkerDefinition;
import io.millrace.cli.definition.DeletionFields;
import io.millrace.cli.job.JobFormatter.JobTable;
import io.millrace.cli.output.Ages;
import io.millrace.cli.output.FieldList;
import io.millrace.cli.output.Figures;
import io.millrace.cli.output.Palette;
import io.millrace.cli.output.Palette.Style;
import io.millrace.cli.output.ShellQuoting;
import io.millrace.cli.output.Table;
import io.millrace.cli.output.Table.Cell;
import io.millrace.cli.output.Table.Column;
import io.millrace.cli.session.SessionDefinitionFormatter;
import io.millrace.cli.session.SessionTables;
import java.time.Instant;
import java.util.List;

/** Describes one queue: fields, segments, managers, workers and the last failure. */
final class QueueDescription {
  private final QueueDetails details;
  private final Instant now;
  private final FieldList fields;

  QueueDescription(QueueDetails details, Instant now, Palette palette) {
    this.details = details;
    this.now = now;
    this.fields = new FieldList(palette);
  }

  List<String> lines() {
    QueueView queue = details.queue();
    fields.title("queue " + queue.name() + "  version " + queue.version());
    fields.value("problem", queue.trouble() == null ? null : Cell.of(queue.trouble(), Style.BAD));
    fields.value(
        "control",
        queue.control() == null || !queue.control().paused()
            ? null
            : Cell.of(QueueTables.control(queue.control()), Style.WARNING));
    DeletionFields.add(fields, details.deletion(), now);
    breaker(queue.breaker());
    fields.value(
        "override",
        queue.override() == null ? null : Cell.of(queue.override().words(), Style.WARNING));
    definition(details.definition());
    figures(queue);
    fields.table("Segments", segments());
    fields.table("Sessions", SessionTables.figures(details.segments()));
    fields.table("Queue managers", JobTable.of(details.managers(), false, now));
    fields.table("Workers", JobTable.of(details.workers(), false, now));
    lastFailure(details.lastFailure());
    return fields.lines();
  }

  private void breaker(BreakerView breaker) {
    if (breaker == null) {
      return;
    }
    fields.value(
        "breaker",
        Cell.of(
            "open for %s: %s; only probes start"
                .formatted(Ages.since(breaker.openedAt(), now), breaker.reason()),
            Style.BAD));
    fields.value("last failure", breaker.lastFailure());
    fields.value(
        "probes",
        "%d started, %d of %d in a row succeeded, next %s"
            .formatted(
                breaker.probes(), breaker.succeeded(), breaker.needed(), nextProbe(breaker)));
    fields.value(
        "what to do", "apply a corrected definition; the breaker closes when the probes succeed");
  }

  private String nextProbe(BreakerView breaker) {
    Instant next = breaker.nextProbeAt();
    return next == null || !next.isAfter(now) ? "due now" : "in " + Ages.since(now, next);
  }

  private void definition(QueueDefinition definition) {
    WorkerDefinition worker = definition.worker();
    fields.text(
        "worker",
        worker == null
            ? "none; events are consumed through the API"
            : ShellQuoting.of(worker.command()));
    if (definition.external()) {
      fields.text("source", ShellQuoting.of(definition.source().waiting()));
      fields.value("", "every " + Durations.format(definition.source().every()));
    }
    if (worker != null) {
      fields.value(
          "input",
          "%s, batches of %d".formatted(worker.input().word(), definition.batch())
              + (definition.ofSessions() ? "" : ", timeout " + Durations.format(worker.timeout())));
    }
    fields.value(
        "sessions",
        definition.ofSessions() ? SessionDefinitionFormatter.limits(definition.sessions()) : null);
    PacingDefinition pacing = definition.pacing();
    fields.value(
        "pacing",
        "%s every %s, at most %s"
            .formatted(
                pacing.policy(),
                Durations.format(pacing.tick()),
                Figures.count(pacing.maxWorkers(), "worker")));
    fields.value(
        "attempts",
        definition.ofSessions()
            ? SessionDefinitionFormatter.failures(definition)
            : definition.maxAttempts() + " before an event becomes a dead letter");
  }

  private void figures(QueueView queue) {
    fields.value(
        "events",
        queue.sessions() == null
            ? "%s waiting, %s delayed, %s leased, %s dead, %s bytes"
                .formatted(
                    Figures.count(queue.waiting()),
                    Figures.count(queue.delayed()),
                    Figures.count(queue.leased()),
                    Figures.count(queue.dead()),
                    Figures.count(queue.bytes()))
            : "%s of sessions without a worker, %s with one, %s bytes"
                .formatted(
                    Figures.count(queue.waiting()),
                    Figures.count(queue.leased()),
                    Figures.count(queue.bytes())));
    fields.value("empty in", QueueTables.emptyIn(queue));
    fields.value(
        "total",
        "%s stored, %s done in %s, %s decisions"
            .formatted(
                Figures.count(queue.inserted()),
                Figures.count(queue.acknowledged()),
                Figures.count(queue.workerRuns())
                    + (queue.workerRuns() == 1 ? " worker run" : " worker runs"),
                Figures.count(queue.managerDecisions())));
    fields.value(
        "rates",
        "%s stored/s, %s done/s, %s workers/s"
            .formatted(
                Figures.rate(queue.eventRate()),
                Figures.rate(queue.doneRate()),
                Figures.rate(queue.workerRate())));
    fields.value("delay", QueueTables.delayed(queue) ? delays(queue) : null);
    fields.value("oldest", QueueTables.waits(queue) ? Ages.took(queue.oldestSeconds()) : null);
  }

  private static String delays(QueueView queue) {
    return "p50 %s, p99 %s from stored to done"
        .formatted(Ages.took(queue.delayP50Seconds()), Ages.took(queue.delayP99Seconds()));
  }

  private Table segments() {
    Table table =
        new Table(
            Column.left("NODE", 20),
            Column.right("WEIGHT"),
            Column.right("WAITING"),
            Column.right("DELAYED"),
            Column.right("LEASED"),
            Column.right("DEAD"),
            Column.right("OLDEST"),
            Column.right("STORED"),
            Column.right("DONE"),
            Column.right("FAILED"));
    for (SegmentFigures segment : details.segments()) {
      table.row(
          segment.node(),
          segment.weight(),
          segment.waiting(),
          segment.delayed(),
          segment.leased(),
          segment.dead() == 0 ? Cell.of(0) : Cell.of(Figures.count(segment.dead()), Style.BAD),
          segment.waiting() == 0 ? "-" : Ages.took(segment.oldestSeconds()),
          segment.inserted(),
          segment.acknowledged(),
          segment.failed());
    }
    return table;
  }

  private void lastFailure(FailedRun failure) {
    if (failure == null) {
      return;
    }
    String heading =
        "Last failure: worker %s on %s, %s ago"
            .formatted(failure.attempt(), failure.node(), Ages.since(failure.at(), now));
    String reason =
        failure.signal() != null
            ? "signal " + failure.signal()
            : failure.exitCode() != null ? "exit code " + failure.exitCode() : "";
    fields.quote(
        heading + (reason.isEmpty() ? "" : ", " + reason),
        failure.stderrTail() == null || failure.stderrTail().isBlank()
            ? String.valueOf(failure.reason() == null ? "(stderr is empty)" : failure.reason())
            : failure.stderrTail());
  }
}
