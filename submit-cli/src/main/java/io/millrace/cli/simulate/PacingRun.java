package io.millrace.cli.simulate;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.cli.chart.CurvesChart;
import io.millrace.cli.chart.FrontChart;
import io.millrace.cli.invocation.Invocation;
import io.millrace.cli.output.Table;
import io.millrace.manager.pacing.PacingSettings.PacingLimits;
import io.millrace.simulator.pacing.ComparedPolicies;
import io.millrace.simulator.pacing.ComparedPolicies.ComparedPolicy;
import io.millrace.simulator.pacing.Curves;
import io.millrace.simulator.pacing.KnobSweep;
import io.millrace.simulator.pacing.KnobSweep.SweepOutcome;
import io.millrace.simulator.pacing.PacingResult;
import io.millrace.simulator.pacing.PacingResult.PacingSample;
import io.millrace.simulator.pacing.PacingSimulation;
import io.millrace.simulator.pacing.PublishedTable;
import io.millrace.simulator.pacing.RateCurve;
import io.millrace.simulator.pacing.Scenario;
import io.millrace.simulator.pacing.Scenario.BuiltinScenario;
import io.millrace.simulator.pacing.Scenario.Cluster;
import io.millrace.simulator.pacing.Scenario.Spread;
import io.millrace.simulator.pacing.Trace;
import io.millrace.simulator.pacing.WorkerBehaviour;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * One simulation of pacing. Separate from the command, because the parser inspects the methods of
 * commands, and only the class path of servers has the simulator.
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
          "use one of --table 4.3, --trace FILE, --scenario crash, --rate 20, --history FILE or"
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
    if (plan.sweep()) {
      throw new IllegalArgumentException("--table has its own settings: do not use --sweep");
    }
    List<PublishedTable> chosen =
        plan.input().table().equals("all")
            ? PublishedTable.ALL
            : List.of(PublishedTable.named(plan.input().table()));
    if (output.svg() != null && chosen.size() != 1) {
      throw new IllegalArgumentException(
          "--svg draws one table: use --table 4.2, 4.3 or 4.4, or --html");
    }
    List<PublishedTable.Comparison> rows = new ArrayList<>();
    for (PublishedTable table : chosen) {
      rows.addAll(compare(table));
    }
    print(rows, PacingTables.published(rows), PacingTables.publishedCsv(rows), List.of());
  }

  /** Runs one table and adds the chart of its curves. */
  private List<PublishedTable.Comparison> compare(PublishedTable table) {
    Map<String, Curves> curves = new LinkedHashMap<>();
    List<PublishedTable.Comparison> rows =
        table.compare(
            policy ->
                curves.computeIfAbsent(
                    line(policy.name(), policy.knob(), policy.value()),
                    name -> Curves.of(table.scenario().seconds(), CHART_POINTS)));
    List<CurvesChart.Line<PacingSample>> lines = new ArrayList<>();
    curves.forEach((name, curve) -> lines.add(new CurvesChart.Line<>(name, curve.samples())));
    charts.add(CurvesChart.pacing("table " + table.name(), lines));
    return rows;
  }

  private static String line(String policy, String knob, double value) {
    return String.format(Locale.ROOT, "%s, %s %.4g", policy, knob, value);
  }

  private void runs() throws IOException {
    List<ComparedPolicy> policies = new PacingWorld(plan).chosen();
    List<PacingTables.Run> results = new ArrayList<>();
    List<Scenario> scenarios = new PacingWorld(plan).scenarios();
    one(scenarios.size());
    for (Scenario scenario : scenarios) {
      List<CurvesChart.Line<PacingSample>> lines = new ArrayList<>();
      for (ComparedPolicy policy : policies) {
        Curves curves = Curves.of(scenario.seconds(), CHART_POINTS);
        PacingResult result = new PacingSimulation(scenario, policy).run(curves);
        results.add(new PacingTables.Run(scenario.name(), result));
        String name = line(result.policy(), result.knob(), result.value());
        lines.add(new CurvesChart.Line<>(name, curves.samples()));
      }
      charts.add(CurvesChart.pacing(scenario.name(), lines));
    }
    print(results, PacingTables.runs(results), PacingTables.runsCsv(results), List.of());
  }

  private void sweep() throws IOException {
    List<SweepOutcome> outcomes = new ArrayList<>();
    List<Scenario> scenarios = new PacingWorld(plan).scenarios();
    one(scenarios.size());
    for (Scenario scenario : scenarios) {
      SweepOutcome outcome =
          new KnobSweep(scenario, new PacingWorld(plan).policies(), plan.settings()).run();
      outcomes.add(outcome);
      charts.add(FrontChart.of(outcome));
    }
    long dominated = outcomes.stream().filter(SweepOutcome::dominated).count();
    String sum = "demand dominates in " + dominated + " of " + outcomes.size() + " cells";
    print(outcomes, PacingTables.fronts(outcomes), PacingTables.frontsCsv(outcomes), List.of(sum));
  }

  private void one(int scenarios) {
    if (plan.output().svg() != null && scenarios != 1) {
      throw new IllegalArgumentException(
          "--svg draws one scenario: use one --trace or --scenario and one --scale, or --html");
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
    invocation.lines(notes);
  }

  /** The scenarios and policies of a plan; IllegalArgumentException for an invalid one. */
  private static final class PacingWorld {
    private static final int UNLIMITED = 1 << 28;

    /** So that a policy that leaves events at the end does not seem to need fewer runs. */
    private static final double DRAIN_SECONDS = 86_400;

    private final PacingPlan plan;

    PacingWorld(PacingPlan plan) {
      this.plan = plan;
    }

    List<Scenario> scenarios() throws IOException {
      List<Scenario> found = new ArrayList<>();
      for (Path file : plan.input().traces()) {
        Trace trace = TraceFile.read(file);
        String name = TraceFile.name(file);
        Scenario one = Scenario.of(name, trace, trace.seconds(), workers()).draining(DRAIN_SECONDS);
        found.addAll(scaled(one, trace.countsOfIntervals() ? Spread.POISSON : Spread.EVEN));
      }
      for (String argument : plan.input().scenarios()) {
        Scenario one = BuiltinScenario.named(argument).scenario(workers());
        found.addAll(scaled(one, Spread.EVEN));
      }
      if (plan.input().rate() != null) {
        double rate = plan.input().rate();
        check(
            rate > 0 && rate <= 1e6,
            "--rate: use a number above 0, at most 1000000 events per second");
        double seconds = plan.input().length().toMillis() / 1e3;
        check(seconds >= 1 && seconds <= 1e9, "--length: use at least 1s");
        String name = rate + "/s";
        Scenario one = Scenario.of(name, RateCurve.constant(rate), seconds, workers());
        found.addAll(scaled(one, Spread.EVEN));
      }
      return found;
    }

    private List<Scenario> scaled(Scenario one, Spread natural) {
      List<Double> scales = plan.input().scales().isEmpty() ? List.of(1.0) : plan.input().scales();
      return scales.stream().map(scale -> scaled(one, scale, natural)).toList();
    }

    private Scenario scaled(Scenario one, double scale, Spread natural) {
      check(scale > 0 && scale <= 1e6, "--scale: use a number above 0, at most 1000000");
      String name =
          scale == 1 ? one.name() : one.name() + String.format(Locale.ROOT, " ×%.4g", scale);
      Cluster cluster =
          plan.workers().slots() == null
              ? one.cluster()
              : new Cluster(
                  plan.workers().slots(), one.cluster().nodeCapacity(), one.cluster().crowd());
      return new Scenario(
          name,
          one.curve().times(scale),
          spread(natural),
          plan.clockwork().seed(),
          one.seconds(),
          one.drain(),
          plan.clockwork().step(),
          one.workers(),
          cluster,
          one.disturbances());
    }

    private Spread spread(Spread natural) {
      String asked = plan.clockwork().arrivals();
      if (asked == null) {
        return natural;
      }
      return switch (asked) {
        case "even" -> Spread.EVEN;
        case "poisson" -> Spread.POISSON;
        default ->
            throw new IllegalArgumentException(
                "--arrivals: use even or poisson, not '" + asked + "'");
      };
    }

    private WorkerBehaviour workers() {
      PacingPlan.Workers asked = plan.workers();
      return switch (asked.model()) {
        case "exit" -> WorkerBehaviour.exit(asked.batch(), asked.latency(), asked.run());
        case "linger" ->
            new WorkerBehaviour(
                WorkerBehaviour.Kind.LINGER,
                asked.batch(),
                asked.latency(),
                asked.run(),
                asked.linger(),
                Duration.ofMinutes(10));
        default ->
            throw new IllegalArgumentException(
                "--model: use exit or linger, not '" + asked.model() + "'");
      };
    }

    ComparedPolicies policies() {
      Integer max = plan.workers().maxWorkers();
      PacingLimits limits = new PacingLimits(max == null ? UNLIMITED : max, UNLIMITED, UNLIMITED);
      Duration tick = plan.clockwork().tick();
      Duration step = plan.clockwork().step();
      check(
          !step.isZero() && !step.isNegative() && tick.compareTo(step) >= 0,
          "--tick must not be shorter than --step, and --step must be above zero");
      return new ComparedPolicies(workers(), tick, limits);
    }

    List<ComparedPolicy> chosen() {
      ComparedPolicies policies = policies();
      List<String> arguments =
          plan.policies().isEmpty()
              ? List.of(
                  ComparedPolicies.DEMAND,
                  ComparedPolicies.THRESHOLD,
                  ComparedPolicies.KEDA_ACCURATE)
              : plan.policies();
      return arguments.stream().map(argument -> policy(policies, argument)).toList();
    }

    private static ComparedPolicy policy(ComparedPolicies policies, String argument) {
      int equals = argument.indexOf('=');
      if (equals < 0) {
        return policies.named(argument);
      }
      try {
        double value = Double.parseDouble(argument.substring(equals + 1));
        return policies.named(argument.substring(0, equals), value);
      } catch (NumberFormatException e) {
        throw new IllegalArgumentException(
            "--policy " + argument + ": the parameter must be a number, for example demand=5", e);
      }
    }

    private static void check(boolean kept, String rule) {
      if (!kept) {
        throw new IllegalArgumentException(rule);
      }
    }
  }
}
