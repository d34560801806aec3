package io.millrace.cli.simulate;

import io.millrace.api.Durations;
import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.cli.chart.NodeStateChart;
import io.millrace.cli.invocation.Invocation;
import io.millrace.cli.output.Table;
import io.millrace.cli.output.Table.Column;
import io.millrace.queuenode.balancing.BalancingPolicy;
import io.millrace.queuenode.balancing.BalancingPolicy.BalancingPolicies;
import io.millrace.queuenode.balancing.BalancingSettings;
import io.millrace.queuenode.balancing.BalancingSettings.RandomPace;
import io.millrace.simulator.balance.Configuration;
import io.millrace.simulator.balance.Day;
import io.millrace.simulator.balance.DayResult;
import io.millrace.simulator.balance.DayResult.Averages;
import io.millrace.simulator.balance.SimulationSettings;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.Function;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(
    name = "balance",
    description = {
      "Simulates days of the published configurations of queue nodes with balancing policies.",
      "All figures are simulated; equal seeds give equal days."
    },
    footer = {
      "",
      "Examples:",
      "  millrace simulate balance --config 1",
      "  millrace simulate balance --config 2 --policy measured --svg day.svg"
    })
final class BalanceCommand implements Callable<Integer> {
  private final Invocation invocation;

  @Option(
      names = "--config",
      paramLabel = "N|all",
      defaultValue = "all",
      description = "Configuration 1 to 4, or all (default: ${DEFAULT-VALUE}).")
  private String configuration;

  @Option(
      names = "--policy",
      paramLabel = "NAME",
      description =
          "Policy measured, random-one, random-25 or random-40; may be repeated (default: all).")
  private List<String> policies = new ArrayList<>();

  @Option(
      names = "--seeds",
      paramLabel = "N",
      defaultValue = "3",
      description = "Number of random days (default: ${DEFAULT-VALUE}).")
  private int seeds;

  @Option(
      names = "--interval",
      paramLabel = "TIME",
      defaultValue = "15m",
      description = "Time between two selections of a random policy (default: ${DEFAULT-VALUE}).")
  private Duration interval;

  @Option(
      names = "--csv",
      paramLabel = "FILE",
      description = "Write the table to this file as CSV.")
  private Path csv;

  @Option(
      names = "--svg",
      paramLabel = "FILE",
      description = "Write a chart of the first day; requires one configuration and one policy.")
  private Path svg;

  @Option(
      names = "--html",
      paramLabel = "FILE",
      description = "Write a page with the figures and the charts of the first days.")
  private Path html;

  BalanceCommand(Invocation invocation) {
    this.invocation = invocation;
  }

  @Override
  public Integer call() throws IOException {
    PacingPlan.Output output = new PacingPlan.Output(csv, svg, html);
    BalanceRun.Plan plan = new BalanceRun.Plan(configuration, policies, seeds, interval, output);
    return new BalanceRun(invocation, plan).run();
  }

  /**
   * One simulation of balancing. Separate from the command, because the parser inspects the methods
   * of commands, and only the class path of servers has the simulator.
   */
  private static final class BalanceRun {
    private final Invocation invocation;
    private final Plan plan;
    private final List<String> charts = new ArrayList<>();

    /**
     * What is simulated.
     *
     * @param configuration 1 to 4, or all
     * @param policies by name; none for all
     * @param seeds days that differ by chance
     * @param interval between two selections of a random policy
     * @param output files to write
     */
    record Plan(
        String configuration,
        List<String> policies,
        int seeds,
        Duration interval,
        PacingPlan.Output output) {}

    BalanceRun(Invocation invocation, Plan plan) {
      this.invocation = invocation;
      this.plan = plan;
    }

    int run() throws IOException {
      SimulationSettings world = SimulationSettings.usual();
      BalancingSettings settings =
          BalancingSettings.of(world.states())
              .with(new RandomPace(plan.interval(), RandomPace.published().scaleInChance()));
      List<Configuration> configurations = configurations();
      List<BalancingPolicy> chosen = policies(settings);
      if (plan.seeds() < 1) {
        throw wrong("--seeds: use at least 1");
      }
      if (plan.output().svg() != null && configurations.size() * chosen.size() != 1) {
        throw wrong("--svg draws one day: use --config 1 to 4 and one --policy");
      }
      List<Averages> results = new ArrayList<>();
      for (Configuration one : configurations) {
        for (BalancingPolicy policy : chosen) {
          results.add(run(one, policy, world));
        }
      }
      print(configurations, results, world);
      return 0;
    }

    private List<Configuration> configurations() {
      if (plan.configuration().equals("all")) {
        return Configuration.PUBLISHED;
      }
      List<Configuration> found =
          Configuration.PUBLISHED.stream()
              .filter(one -> plan.configuration().equals(Integer.toString(one.number())))
              .toList();
      if (found.isEmpty()) {
        throw wrong("there is no configuration " + plan.configuration() + ": use 1 to 4, or all");
      }
      return found;
    }

    private List<BalancingPolicy> policies(BalancingSettings settings) {
      return plan.policies().isEmpty()
          ? BalancingPolicies.all(settings)
          : plan.policies().stream().map(name -> BalancingPolicies.named(name, settings)).toList();
    }

    private static MillraceException wrong(String message) {
      return new MillraceException(ErrorCode.INVALID_REQUEST, message);
    }

    private Averages run(Configuration one, BalancingPolicy policy, SimulationSettings world) {
      List<DayResult> days = new ArrayList<>();
      for (int seed = 1; seed <= plan.seeds(); seed++) {
        Day day = new Day(one, policy, world, seed);
        days.add(day.run());
        if (seed == 1) {
          String title = "Configuration " + one.number() + ": " + one.text() + "; " + policy.name();
          charts.add(NodeStateChart.of(title, day.samples()));
        }
      }
      return Averages.of(one.number(), policy.name(), days);
    }

    private void print(
        List<Configuration> configurations, List<Averages> results, SimulationSettings world)
        throws IOException {
      ResultFiles.write(plan.output(), "Simulated balance", BalanceTable.csv(results), charts);
      if (invocation.json()) {
        invocation
            .terminal()
            .json(Map.of("interval", plan.interval().toString(), "results", results));
        return;
      }
      for (Configuration one : configurations) {
        invocation.line("configuration " + one.number() + ": " + one.text());
      }
      invocation.line(BalanceTable.assumptions(world, plan.interval(), plan.seeds()));
      invocation.line("");
      invocation.print(BalanceTable.table(results), "nothing was simulated");
    }

    /** Formats the results of simulated days. */
    private static final class BalanceTable {
      private static final List<Figure> FIGURES =
          List.of(
              new Figure("CONFIG", "%.0f", result -> (double) result.configuration()),
              new Figure("MOVES", "%.1f", Averages::moves),
              new Figure("SHED", "%.1f", Averages::shedMoves),
              new Figure("SCALE-IN", "%.1f", Averages::scaleInMoves),
              new Figure("POINTS", "%.0f", Averages::points),
              new Figure("PING-PONG", "%.1f", Averages::pingPongs),
              new Figure("OVERLOADS", "%.1f", Averages::overloads),
              new Figure("UNMET", "%.1f", Averages::unresolved),
              new Figure("FIRST-HIT", "%.2f", Averages::firstHits),
              new Figure("ROUNDS", "%.1f", Averages::rounds),
              new Figure("MOST", "%.0f", result -> (double) result.mostRounds()),
              new Figure("CALM-MIN", "%.1f", Averages::calmMinutes),
              new Figure("FLAPS", "%.1f", Averages::flaps),
              new Figure("RETURNS", "%.1f", Averages::returns),
              new Figure("TOOBUSY-MIN", "%.0f", Averages::tooBusyMinutes),
              new Figure("OVER-MIN", "%.0f", Averages::overCapacityMinutes),
              new Figure("BACKLOG", "%.0f", Averages::greatestBacklog),
              new Figure("NODE-H", "%.0f", Averages::nodeHours));

      private BalanceTable() {}

      private record Figure(String title, String pattern, Function<Averages, Double> value) {
        String of(Averages result) {
          return String.format(Locale.ROOT, pattern, value.apply(result));
        }
      }

      static Table table(List<Averages> results) {
        List<Column> columns = new ArrayList<>(List.of(Column.left("POLICY")));
        FIGURES.forEach(figure -> columns.add(Column.right(figure.title())));
        Table table = new Table(columns.toArray(Column[]::new));
        for (Averages result : results) {
          List<Object> row = new ArrayList<>(List.of(result.policy()));
          FIGURES.forEach(figure -> row.add(figure.of(result)));
          table.row(row.toArray());
        }
        return table;
      }

      static List<String> csv(List<Averages> results) {
        List<String> lines = new ArrayList<>();
        lines.add("POLICY," + String.join(",", FIGURES.stream().map(Figure::title).toList()));
        for (Averages result : results) {
          List<String> fields = FIGURES.stream().map(figure -> figure.of(result)).toList();
          lines.add(result.policy() + "," + String.join(",", fields));
        }
        return lines;
      }

      /** The assumptions behind the figures. */
      static String assumptions(SimulationSettings world, Duration interval, int days) {
        return String.format(
            Locale.ROOT,
            "means of %d day(s); nodes with %.0f events/s; measured decides every %s, the"
                + " random policies"
                + " every %s; a ping-pong is a reverse move within %s, a flap a node TOOBUSY"
                + " again within"
                + " %s; FIRST-HIT is the share of overloads whose first attempt moved the"
                + " segment with"
                + " most events, UNMET the overloads in which no node could take load",
            days,
            world.nodeCapacity(),
            Durations.format(world.tick()),
            Durations.format(interval),
            Durations.format(world.reverseWindow()),
            Durations.format(world.flapWindow()));
      }
    }
  }
}
