package io.millrace.cli.queue;

import io.millrace.api.Durations;
import io.millrace.api.insight.QueueDetails;
import io.millrace.api.insight.QueueDetails.FailedRun;
import io.millrace.api.insight.QueueView;
import io.millrace.api.pacing.BreakerView;
import io.millrace.api.queue.PacingDefinition;
import io.millrace.api.queue.QueueDefinition;
import io.millrace.api.queue.SegmentFigures;
import io.millrace.api.queue.WorkerDefinition;
import io.millrace.cli.job.JobTable;
import io.millrace.cli.output.Ages;
import io.millrace.cli.output.FieldList;
import io.millrace.cli.output.Figures;
import io.millrace.cli.output.Palette;
import io.millrace.cli.output.Palette.Style;
import io.millrace.cli.output.ShellQuoting;
import io.millrace.cli.output.Table;
import io.millrace.cli.output.Table.Cell;
import io.millrace.cli.output.Table.Column;
import java.time.Instant;
import java.util.List;

/** All about one queue on one page. */
final class QueueDescription {
  private final QueueDetails details;
  private final Instant now;
  private final FieldList page;

  QueueDescription(QueueDetails details, Instant now, Palette palette) {
    this.details = details;
    this.now = now;
    this.page = new FieldList(palette);
  }

  List<String> lines() {
    QueueView queue = details.queue();
    page.title("queue " + queue.name() + "  version " + queue.version());
    page.value("trouble", queue.trouble() == null ? null : Cell.of(queue.trouble(), Style.BAD));
    page.value(
        "control",
        queue.control() == null || !queue.control().paused()
            ? null
            : Cell.of(QueueTables.control(queue.control()), Style.WARNING));
    breaker(queue.breaker());
    page.value(
        "for a while",
        queue.override() == null ? null : Cell.of(queue.override().words(), Style.WARNING));
    definition(details.definition());
    figures(queue);
    page.table("Segments", segments());
    page.table("Queue managers", JobTable.of(details.managers(), false, now));
    page.table("Workers", JobTable.of(details.workers(), false, now));
    lastFailure(details.lastFailure());
    return page.lines();
  }

  private void breaker(BreakerView breaker) {
    if (breaker == null) {
      return;
    }
    page.value(
        "breaker",
        Cell.of(
            "open for "
                + Ages.since(breaker.openedAt(), now)
                + ": "
                + breaker.reason()
                + "; only probes start",
            Style.BAD));
    page.value("last failed", breaker.lastFailure());
    page.value(
        "probes",
        breaker.probes()
            + " started, "
            + breaker.succeeded()
            + " of "
            + breaker.needed()
            + " in a row succeeded, next "
            + nextProbe(breaker));
    page.value(
        "what to do", "apply a mended definition; it closes by itself when the probes succeed");
  }

  private String nextProbe(BreakerView breaker) {
    Instant next = breaker.nextProbeAt();
    return next == null || !next.isAfter(now) ? "due now" : "in " + Ages.since(now, next);
  }

  private void definition(QueueDefinition definition) {
    WorkerDefinition worker = definition.worker();
    page.value(
        "worker",
        worker == null ? "none; take events through the API" : ShellQuoting.of(worker.command()));
    if (definition.external()) {
      page.value(
          "source",
          ShellQuoting.of(definition.source().waiting())
              + ", every "
              + Durations.format(definition.source().every()));
    }
    if (worker != null) {
      page.value(
          "input",
          worker.input().word()
              + ", batches of "
              + definition.batch()
              + ", time limit "
              + Durations.format(worker.timeout()));
    }
    PacingDefinition pacing = definition.pacing();
    page.value(
        "pacing",
        pacing.policy()
            + " every "
            + Durations.format(pacing.tick())
            + ", at most "
            + pacing.maxWorkers()
            + " workers");
    page.value("attempts", definition.maxAttempts() + " before an event is dead");
  }

  private void figures(QueueView queue) {
    page.value(
        "events",
        Figures.count(queue.waiting())
            + " waiting, "
            + Figures.count(queue.delayed())
            + " delayed, "
            + Figures.count(queue.leased())
            + " with workers, "
            + Figures.count(queue.dead())
            + " dead, "
            + Figures.count(queue.bytes())
            + " bytes");
    page.value("empty in", QueueTables.emptyIn(queue));
    page.value(
        "total",
        Figures.count(queue.inserted())
            + " stored, "
            + Figures.count(queue.acknowledged())
            + " done by "
            + Figures.count(queue.workerRuns())
            + " worker runs, "
            + Figures.count(queue.managerDecisions())
            + " decisions");
    page.value(
        "rates",
        Figures.rate(queue.eventRate())
            + " stored/s, "
            + Figures.rate(queue.doneRate())
            + " done/s, "
            + Figures.rate(queue.workerRate())
            + " workers/s");
    page.value("delay", queue.acknowledged() == 0 ? null : delays(queue));
    page.value("oldest", queue.waiting() == 0 ? null : Ages.took(queue.oldestSeconds()));
  }

  private static String delays(QueueView queue) {
    return "p50 "
        + Ages.took(queue.delayP50Seconds())
        + ", p99 "
        + Ages.took(queue.delayP99Seconds())
        + " from stored to done";
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
    String words =
        "Last failure: worker "
            + failure.attempt()
            + " on "
            + failure.node()
            + ", "
            + Ages.since(failure.at(), now)
            + " ago";
    String reason =
        failure.signal() != null
            ? "signal " + failure.signal()
            : failure.exitCode() != null ? "exit code " + failure.exitCode() : "";
    page.quote(
        words + (reason.isEmpty() ? "" : ", " + reason),
        failure.stderrTail() == null || failure.stderrTail().isBlank()
            ? String.valueOf(failure.reason() == null ? "(it wrote no errors)" : failure.reason())
            : failure.stderrTail());
  }
}
