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
import io.millrace.simulator.balance.DayPlan;
import io.millrace.simulator.balance.DayResult;
import io.millrace.simulator.balance.DayResult.Averages;
import io.millrace.simulator.balance.RecordedDays;
import io.millrace.simulator.balance.SimulationSettings;
import io.millrace.simulator.pacing.Trace;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.function.Function;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(
    name = "balance",
    description = {
      "Simulates days of queue nodes with balancing policies: the published configurations,",
      "or recorded traffic with one queue per trace.",
      "All figures are simulated; equal seeds give equal days."
    },
    footer = {
      "",
      "Examples:",
      "  millrace simulate balance --config 1",
      "  millrace simulate balance --config 2 --policy measured --svg day.svg",
      "  millrace simulate balance --trace a.csv --trace b.csv --nodes 4 --peak 1500"
    })
final class BalanceCommand implements Callable<Integer> {
  private final Invocation invocation;

  @Option(
      names = "--config",
      paramLabel = "N|all",
      description = "Published configuration 1 to 4, or all (default: all).")
  private String configuration;

  @Option(
      names = "--trace",
      paramLabel = "FILE",
      description = {
        "Recorded events of one queue, named after the file; may be repeated. Lines with",
        "timestamp,value or one timestamp per event; values are the number of events until the",
        "next line. Instead of --config."
      })
  private List<Path> traces = new ArrayList<>();

  @Option(
      names = "--nodes",
      paramLabel = "N",
      description = "Number of queue nodes for --trace (default: 4).")
  private Integer nodes;

  @Option(
      names = "--peak",
      paramLabel = "RATE",
      description = {
        "Scales all traces by one factor, so that their busiest minute has this many events per",
        "second in all (default: as recorded)."
      })
  private Double peak;

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
      description =
          "Number of random days; with --trace, its first days (default: ${DEFAULT-VALUE}).")
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
    BalanceRun.Input input = new BalanceRun.Input(configuration, traces, nodes, peak);
    BalanceRun.Plan plan = new BalanceRun.Plan(input, policies, seeds, interval, output);
    return new BalanceRun(invocation, plan).run();
  }

  /**
   * One simulation of balancing. Separate from the command, because the parser inspects the methods
   * of commands, and only the class path of servers has the simulator.
   */
  private static final class BalanceRun {
    private static final int RECORDED = 0;
    private static final int USUAL_NODES = 4;
    private static final int MOST_NODES = 1000;
    private static final double MOST_EVENTS = 1e6;

    private final Invocation invocation;
    private final Plan plan;
    private final List<String> charts = new ArrayList<>();

    /**
     * What is simulated.
     *
     * @param input the traffic
     * @param policies by name; none for all
     * @param seeds days that differ by chance
     * @param interval between two selections of a random policy
     * @param output files to write
     */
    record Plan(
        Input input,
        List<String> policies,
        int seeds,
        Duration interval,
        PacingPlan.Output output) {}

    /**
     * Whose days are simulated; null for what was not given.
     *
     * @param configuration 1 to 4, or all
     * @param traces files of recorded events; none for a published configuration
     * @param nodes queue nodes of recorded traffic
     * @param peak events per second that recorded traffic is scaled to
     */
    record Input(String configuration, List<Path> traces, Integer nodes, Double peak) {}

    BalanceRun(Invocation invocation, Plan plan) {
      this.invocation = invocation;
      this.plan = plan;
    }

    int run() throws IOException {
      SimulationSettings world = SimulationSettings.usual();
      BalancingSettings settings =
          BalancingSettings.of(world.states())
              .with(new RandomPace(plan.interval(), RandomPace.published().scaleInChance()));
      if (plan.seeds() < 1) {
        throw wrong("--seeds: use at least 1");
      }
      SortedMap<Integer, DayPlan> days = days();
      List<BalancingPolicy> chosen = policies(settings);
      if (plan.output().svg() != null && days.size() * chosen.size() != 1) {
        throw wrong("--svg draws one day: use --config 1 to 4, or --trace, and one --policy");
      }
      List<Averages> results = new ArrayList<>();
      for (Map.Entry<Integer, DayPlan> one : days.entrySet()) {
        for (BalancingPolicy policy : chosen) {
          results.add(run(one.getKey(), one.getValue(), policy, world));
        }
      }
      print(days, results, world);
      return 0;
    }

    /** By the number of the configuration; 0 for recorded traffic. */
    private SortedMap<Integer, DayPlan> days() throws IOException {
      Input input = plan.input();
      if (input.traces().isEmpty()) {
        if (input.nodes() != null || input.peak() != null) {
          throw wrong("--nodes and --peak apply to recorded traffic: use --trace FILE too");
        }
        return published(input.configuration() == null ? "all" : input.configuration());
      }
      if (input.configuration() != null) {
        throw wrong("use either --config or --trace");
      }
      return new TreeMap<>(Map.of(RECORDED, recorded(input)));
    }

    private static SortedMap<Integer, DayPlan> published(String number) {
      SortedMap<Integer, DayPlan> found = new TreeMap<>();
      Configuration.PUBLISHED.stream()
          .filter(one -> number.equals("all") || number.equals(Integer.toString(one.number())))
          .forEach(one -> found.put(one.number(), one));
      if (found.isEmpty()) {
        throw wrong("there is no configuration " + number + ": use 1 to 4, or all");
      }
      return found;
    }

    private DayPlan recorded(Input input) throws IOException {
      int nodes = input.nodes() == null ? USUAL_NODES : input.nodes();
      if (nodes < 2 || nodes > MOST_NODES) {
        throw wrong("--nodes: use 2 to " + MOST_NODES);
      }
      if (input.peak() != null && !(input.peak() > 0 && input.peak() <= MOST_EVENTS)) {
        throw wrong("--peak: use a number of events per second above 0 and up to 1000000");
      }
      try {
        Map<String, Trace> traces = new HashMap<>();
        for (Path file : input.traces()) {
          String queue = TraceFile.name(file);
          if (traces.put(queue, TraceFile.read(file)) != null) {
            throw wrong("two traces are named " + queue + ": a queue has one trace");
          }
        }
        return RecordedDays.of(nodes, traces, plan.seeds(), input.peak());
      } catch (IllegalArgumentException e) {
        throw wrong(e.getMessage());
      }
    }

    private List<BalancingPolicy> policies(BalancingSettings settings) {
      return plan.policies().isEmpty()
          ? BalancingPolicies.all(settings)
          : plan.policies().stream().map(name -> BalancingPolicies.named(name, settings)).toList();
    }

    private static MillraceException wrong(String message) {
      return new MillraceException(ErrorCode.INVALID_REQUEST, message);
    }

    private Averages run(
        int number, DayPlan one, BalancingPolicy policy, SimulationSettings world) {
      List<DayResult> days = new ArrayList<>();
      for (int seed = 1; seed <= plan.seeds(); seed++) {
        Day day = new Day(one, policy, world, seed);
        days.add(day.run());
        if (seed == 1) {
          String title = BalanceTable.title(number, one) + "; " + policy.name();
          charts.add(NodeStateChart.of(title, day.samples()));
        }
      }
      return Averages.of(number, policy.name(), days);
    }

    private void print(
        SortedMap<Integer, DayPlan> days, List<Averages> results, SimulationSettings world)
        throws IOException {
      ResultFiles.write(plan.output(), "Simulated balance", BalanceTable.csv(results), charts);
      if (invocation.json()) {
        invocation
            .terminal()
            .json(Map.of("interval", plan.interval().toString(), "results", results));
        return;
      }
      days.forEach((number, one) -> invocation.line(BalanceTable.title(number, one)));
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

      static String title(int number, DayPlan plan) {
        String what = number == RECORDED ? "recorded traffic" : "configuration " + number;
        return what + ": " + plan.text();
      }

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
