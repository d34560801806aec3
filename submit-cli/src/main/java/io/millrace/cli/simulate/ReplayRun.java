package io.millrace.cli.simulate;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.cli.chart.CurvesChart;
import io.millrace.cli.invocation.Invocation;
import io.millrace.simulator.pacing.PacingResult.PacingSample;
import io.millrace.simulator.replay.DecisionReader;
import io.millrace.simulator.replay.RecordedDecision;
import io.millrace.simulator.replay.Recording;
import io.millrace.simulator.replay.RecordingReplay;
import io.millrace.simulator.replay.ReplayRow;
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

/**
 * One replay of a live queue's record. Apart from the command, because the parser looks at a
 * command's methods, and only the servers' class path has the simulator.
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
      throw wrong("give --history FILE or --queue NAME, not both", null);
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
      // First, so that a wrong name is told before the long work.
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
              + ": give --history what GET /v1/queues/NAME/decisions/export prints, or --queue"
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
}
