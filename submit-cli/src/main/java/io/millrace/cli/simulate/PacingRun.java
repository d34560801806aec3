package io.millrace.cli.simulate;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.cli.invocation.Invocation;
import io.millrace.cli.output.Table;
import io.millrace.simulator.pacing.ComparedPolicies.ComparedPolicy;
import io.millrace.simulator.pacing.Curves;
import io.millrace.simulator.pacing.CurvesChart;
import io.millrace.simulator.pacing.CurvesChart.PacingChart;
import io.millrace.simulator.pacing.FrontChart;
import io.millrace.simulator.pacing.KnobSweep;
import io.millrace.simulator.pacing.PacingResult;
import io.millrace.simulator.pacing.PacingResult.PacingSample;
import io.millrace.simulator.pacing.PacingSimulation;
import io.millrace.simulator.pacing.PublishedTable;
import io.millrace.simulator.pacing.Scenario;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * One simulation of pacing. Apart from the command, because the parser looks at a command's
 * methods, and only the servers' class path has the simulator.
 */
final class PacingRun {
  private static final int CHART_POINTS = 600;

  private final Invocation invocation;
  private final PacingPlan plan;
  private final List<String> charts = new ArrayList<>();

  PacingRun(Invocation invocation, PacingPlan plan) {
    this.invocation = invocation;
    this.plan = plan;
  }

  int run() throws IOException {
    try {
      return choose();
    } catch (IllegalArgumentException | ArithmeticException e) {
      throw new MillraceException(ErrorCode.INVALID_REQUEST, e.getMessage(), e);
    }
  }

  private int choose() throws IOException {
    PacingPlan.Input input = plan.input();
    if (input.given() != 1) {
      throw new IllegalArgumentException(
          "give one of --table 4.3, --trace FILE, --scenario crash, --rate 20, --history FILE or"
              + " --queue NAME");
    }
    if (input.table() != null) {
      tables();
    } else if (plan.sweep()) {
      sweep();
    } else {
      runs();
    }
    return 0;
  }

  private void tables() throws IOException {
    PacingPlan.Output output = plan.output();
    if (plan.sweep() || output.svg() != null) {
      throw new IllegalArgumentException(
          "--table has its own settings and no curves: leave --sweep and --svg away");
    }
    List<PublishedTable> chosen =
        plan.input().table().equals("all")
            ? PublishedTable.ALL
            : List.of(PublishedTable.named(plan.input().table()));
    List<PublishedTable.Comparison> rows =
        chosen.stream().flatMap(table -> table.compare().stream()).toList();
    print(rows, PacingTables.published(rows), PacingTables.publishedCsv(rows), List.of());
  }

  private void runs() throws IOException {
    List<ComparedPolicy> contenders = new PacingWorld(plan).chosen();
    List<PacingTables.Run> results = new ArrayList<>();
    List<Scenario> scenarios = new PacingWorld(plan).scenarios();
    one(scenarios.size());
    for (Scenario scenario : scenarios) {
      List<CurvesChart.Line<PacingSample>> lines = new ArrayList<>();
      for (ComparedPolicy contender : contenders) {
        Curves curves = Curves.of(scenario.seconds(), CHART_POINTS);
        PacingResult result = new PacingSimulation(scenario, contender).run(curves);
        results.add(new PacingTables.Run(scenario.name(), result));
        String name =
            String.format(
                Locale.ROOT, "%s, %s %.4g", result.policy(), result.knob(), result.value());
        lines.add(new CurvesChart.Line<>(name, curves.samples()));
      }
      charts.add(PacingChart.of(scenario.name(), lines));
    }
    print(results, PacingTables.runs(results), PacingTables.runsCsv(results), List.of());
  }

  private void sweep() throws IOException {
    List<KnobSweep.SweepOutcome> outcomes = new ArrayList<>();
    List<Scenario> scenarios = new PacingWorld(plan).scenarios();
    one(scenarios.size());
    for (Scenario scenario : scenarios) {
      KnobSweep.SweepOutcome outcome =
          new KnobSweep(scenario, new PacingWorld(plan).contenders(), plan.settings()).run();
      outcomes.add(outcome);
      charts.add(FrontChart.of(outcome));
    }
    long dominated = outcomes.stream().filter(KnobSweep.SweepOutcome::dominated).count();
    String sum = "demand dominates in " + dominated + " of " + outcomes.size() + " cells";
    print(outcomes, PacingTables.fronts(outcomes), PacingTables.frontsCsv(outcomes), List.of(sum));
  }

  private void one(int scenarios) {
    if (plan.output().svg() != null && scenarios != 1) {
      throw new IllegalArgumentException(
          "--svg draws one scenario: give one --trace or --scenario and one --scale, or --html");
    }
  }

  private void print(Object json, Table table, List<String> csv, List<String> notes)
      throws IOException {
    ResultFiles.write(plan.output(), "Simulated pacing", csv, charts);
    if (invocation.json()) {
      invocation.terminal().json(json);
      return;
    }
    invocation.print(table, "nothing was simulated");
    invocation.terminal().lines(notes);
  }
}
