package io.millrace.cli.simulate;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.cli.chart.CurvesChart;
import io.millrace.cli.invocation.Invocation;
import io.millrace.cli.output.Table;
import io.millrace.cli.output.Table.Column;
import io.millrace.simulator.pacing.PacingResult.PacingSample;
import io.millrace.simulator.replay.DecisionReader;
import io.millrace.simulator.replay.Recording;
import io.millrace.simulator.replay.Recording.RecordedDecision;
import io.millrace.simulator.replay.RecordingReplay;
import io.millrace.simulator.replay.RecordingReplay.ReplayRow;
import io.millrace.simulator.replay.ReplayBasis;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * One replay of the record of a live queue. Separate from the command, because the parser inspects
 * the methods of commands, and only the class path of servers has the simulator.
 */
final class ReplayRun {
  private final Invocation invocation;
  private final PacingPlan.Replayed plan;
  private final PacingPlan.Output output;

  ReplayRun(Invocation invocation, PacingPlan.Replayed plan, PacingPlan.Output output) {
    this.invocation = invocation;
    this.plan = plan;
    this.output = output;
  }

  int run() throws IOException {
    if (plan.history() != null && plan.queue() != null) {
      throw wrong("use either --history FILE or --queue NAME, not both", null);
    }
    try {
      replay();
    } catch (IllegalArgumentException | ArithmeticException e) {
      throw wrong(e.getMessage(), e);
    }
    return 0;
  }

  private static MillraceException wrong(String message, Exception cause) {
    return new MillraceException(ErrorCode.INVALID_REQUEST, message, cause);
  }

  private void replay() throws IOException {
    RecordingReplay replay = new RecordingReplay(Recording.of(decisions()), plan.slots());
    List<RecordingReplay.Run> runs = new ArrayList<>();
    if (!plan.changes().isEmpty()) {
      // First, so that a wrong name is reported before the long work.
      runs.add(replay.changed(plan.changes()));
    }
    runs.add(0, replay.recorded());
    runs.add(1, replay.control());
    print(
        new ReplayReport(replay.basis(), runs.stream().map(RecordingReplay.Run::row).toList()),
        runs);
  }

  private List<RecordedDecision> decisions() throws IOException {
    try (Reader reader = new InputStreamReader(source(), StandardCharsets.UTF_8)) {
      return DecisionReader.read(reader);
    } catch (NoSuchFileException e) {
      throw new IllegalArgumentException(
          "there is no file "
              + plan.history()
              + ": use the output of GET /v1/queues/NAME/decisions/export, or --queue"
              + " NAME",
          e);
    }
  }

  private InputStream source() throws IOException {
    if (plan.queue() != null) {
      Instant now = invocation.now();
      return invocation.central().exportDecisions(plan.queue(), now.minus(plan.since()), now);
    }
    return plan.history().equals("-")
        ? invocation.terminal().in()
        : Files.newInputStream(Path.of(plan.history()));
  }

  private void print(ReplayReport report, List<RecordingReplay.Run> runs) throws IOException {
    List<CurvesChart.Line<PacingSample>> lines = new ArrayList<>();
    for (RecordingReplay.Run run : runs) {
      lines.add(new CurvesChart.Line<>(name(run.row()), run.samples()));
    }
    String title = plan.queue() == null ? "Replay" : "Replay of " + plan.queue();
    String chart = CurvesChart.pacing(title + " from " + report.basis().from(), lines);
    ResultFiles.write(output, title, report.csv(), List.of(chart));
    if (invocation.json()) {
      invocation.terminal().json(report);
      return;
    }
    invocation.lines(report.heading());
    invocation.line("");
    invocation.print(report.table(), "nothing was replayed");
    invocation.line("");
    invocation.lines(report.verdict());
  }

  private static String name(ReplayRow row) {
    return row.name().equals("recorded") ? "recorded starts" : row.name();
  }

  /**
   * The report of a replay.
   *
   * @param basis of the replay
   * @param rows the record, the control, and the changed settings if there are any
   */
  private record ReplayReport(ReplayBasis basis, List<ReplayRow> rows) {
    private static final int CONTROL = 1;

    /** Relative difference between control and record. */
    @JsonProperty("controlRunsOff")
    double runsOff() {
      return off((double) rows.get(CONTROL).runs(), (double) rows.get(0).runs());
    }

    /** Null if the record contains no wait. */
    @JsonProperty("controlMeanWaitOff")
    Double meanWaitOff() {
      Double recorded = rows.get(0).meanWait();
      return recorded == null ? null : (Double) off(rows.get(CONTROL).meanWait(), recorded);
    }

    @JsonProperty("controlOldestSeenOff")
    double oldestSeenOff() {
      return off(rows.get(CONTROL).seen().oldest(), rows.get(0).seen().oldest());
    }

    private static double off(double simulated, double recorded) {
      return recorded == 0 ? simulated == 0 ? 0 : 1 : simulated / recorded - 1;
    }

    List<String> heading() {
      List<String> lines = new ArrayList<>();
      lines.add(
          format(
              "%s to %s: %d decisions of %d segment(s), at most %.0f s apart",
              basis.from(),
              basis.to(),
              basis.decisions(),
              basis.segments(),
              basis.longestGapSeconds()));
      lines.add("settings: " + basis.settings());
      lines.add(
          format(
              "workers, as measured: start delay %.3g s, run time %.3g s, %.1f %% of the runs fail",
              basis.startLatencySeconds(), basis.runSeconds(), 100 * basis.failedPart()));
      basis.notes().forEach(note -> lines.add("note: " + note));
      return lines;
    }

    Table table() {
      Table table =
          new Table(
              Column.left("RUN"),
              Column.left("POLICY"),
              Column.right("EVENTS"),
              Column.right("RUNS"),
              Column.right("RUNS/FLOOR"),
              Column.right("MEAN-WAIT-S"),
              Column.right("P99-S"),
              Column.right("LONGEST-S"),
              Column.right("MOST-WORKERS"),
              Column.right("WORKER-S"),
              Column.right("LEFT"),
              Column.right("SEEN-OLDEST-S"));
      for (ReplayRow row : rows) {
        table.row(
            row.name(),
            row.policy(),
            row.events(),
            row.runs(),
            format("%.3f", (double) row.runs() / Math.max(1, row.floorRuns())),
            shown("%.3f", row.meanWait()),
            shown("%.3f", row.p99Wait()),
            shown("%.1f", row.longestWait()),
            shown("%d", row.mostWorkers()),
            shown("%.0f", row.workerSeconds()),
            shown("%d", row.leftOver()),
            format("%.3f", row.seen().oldest()));
      }
      return table;
    }

    List<String> csv() {
      List<String> lines = new ArrayList<>();
      lines.add(
          "run,policy,events,runs,floorRuns,meanWait,p99Wait,longestWait,mostWorkers,workerSeconds,"
              + "leftOver,seenDecisions,seenWaiting,seenOldest,seenLongest");
      for (ReplayRow row : rows) {
        lines.add(
            String.join(
                ",",
                row.name(),
                row.policy(),
                format("%d,%d,%d", row.events(), row.runs(), row.floorRuns()),
                field("%.4f", row.meanWait()),
                field("%.4f", row.p99Wait()),
                field("%.3f", row.longestWait()),
                field("%d", row.mostWorkers()),
                field("%.1f", row.workerSeconds()),
                field("%d", row.leftOver()),
                format(
                    "%d,%.4f,%.4f,%.3f",
                    row.seen().decisions(),
                    row.seen().waiting(),
                    row.seen().oldest(),
                    row.seen().longest())));
      }
      return lines;
    }

    /** The accuracy of the replay, and the effect of the change. */
    List<String> verdict() {
      ReplayRow recorded = rows.get(0);
      ReplayRow control = rows.get(CONTROL);
      List<String> lines = new ArrayList<>();
      lines.add(
          format(
              "The control starts %d workers; %d were recorded (%+.1f %%). The oldest event in its"
                  + " decisions is %.3f s old on average; %.3f s were recorded (%+.1f %%).",
              control.runs(),
              recorded.runs(),
              100 * runsOff(),
              control.seen().oldest(),
              recorded.seen().oldest(),
              100 * oldestSeenOff()));
      if (recorded.meanWait() != null) {
        lines.add(
            format(
                "Its mean wait is %.3f s; the recorded starts give %.3f s (%+.1f %%).",
                control.meanWait(), recorded.meanWait(), 100 * meanWaitOff()));
      }
      if (rows.size() > CONTROL + 1) {
        ReplayRow changed = rows.get(CONTROL + 1);
        lines.add(
            format(
                "With %s: %+d runs (%+.1f %%) and %+.3f s of mean wait (%+.1f %%) against the"
                    + " control.",
                changed.name(),
                changed.runs() - control.runs(),
                100 * off((double) changed.runs(), (double) control.runs()),
                changed.meanWait() - control.meanWait(),
                100 * off(changed.meanWait(), control.meanWait())));
      }
      return lines;
    }

    private static String shown(String pattern, Number value) {
      return value == null ? "-" : format(pattern, value);
    }

    private static String field(String pattern, Number value) {
      return value == null ? "" : format(pattern, value);
    }

    private static String format(String pattern, Object... values) {
      return String.format(Locale.ROOT, pattern, values);
    }
  }
}
