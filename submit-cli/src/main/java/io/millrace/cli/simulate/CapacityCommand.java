package io.millrace.cli.simulate;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.cli.chart.CurvesChart;
import io.millrace.cli.invocation.Invocation;
import io.millrace.cli.output.Table;
import io.millrace.cli.output.Table.Column;
import io.millrace.simulator.containers.CapacityComparison;
import io.millrace.simulator.containers.CapacityDay;
import io.millrace.simulator.containers.CapacityResult;
import io.millrace.simulator.containers.CapacityResult.CapacitySample;
import io.millrace.simulator.containers.ContainerSettings;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.ToDoubleFunction;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(
    name = "capacity",
    description = {
      "Compares static consumers, containers and workers on a day with a burst and a node loss.",
      "Runs the day under a static configuration, under containers of consumers (Solution A of",
      "the publication) and under the policy demand. Equal seeds give equal arrivals to all."
    },
    footer = {
      "",
      "Examples:",
      "  millrace simulate capacity",
      "  millrace simulate capacity --burst 6 --seeds 10 --svg day.svg",
      "  millrace simulate capacity --nodes 4 --slots 16 --csv day.csv"
    })
final class CapacityCommand implements Callable<Integer> {
  private final Invocation invocation;

  @Option(
      names = "--seeds",
      paramLabel = "N",
      defaultValue = "3",
      description = "Number of random days (default: ${DEFAULT-VALUE}).")
  private int seeds;

  @Option(
      names = "--burst",
      defaultValue = "4",
      paramLabel = "N",
      description =
          "Arrivals of the large kind in the burst, as a multiple (default: ${DEFAULT-VALUE}).")
  private double burst;

  @Option(
      names = "--nodes",
      defaultValue = "8",
      paramLabel = "N",
      description = "Number of execution nodes, one of which is lost (default: ${DEFAULT-VALUE}).")
  private int nodes;

  @Option(
      names = "--slots",
      defaultValue = "8",
      paramLabel = "N",
      description = "Slots of each node (default: ${DEFAULT-VALUE}).")
  private int slots;

  @Option(
      names = "--reserve",
      defaultValue = "1.5",
      paramLabel = "N",
      description = {
        "Consumers of the static configuration as a multiple of those needed at the usual peak",
        "(default: ${DEFAULT-VALUE})."
      })
  private double reserve;

  @Option(
      names = "--container",
      defaultValue = "2",
      paramLabel = "N",
      description = "Number of consumers per container (default: ${DEFAULT-VALUE}).")
  private int container;

  @Option(
      names = "--csv",
      paramLabel = "FILE",
      description = "Write the table to this file as CSV.")
  private Path csv;

  @Option(names = "--svg", paramLabel = "FILE", description = "Write a chart of the first day.")
  private Path svg;

  @Option(
      names = "--html",
      paramLabel = "FILE",
      description = "Write a page with figures and chart.")
  private Path html;

  CapacityCommand(Invocation invocation) {
    this.invocation = invocation;
  }

  @Override
  public Integer call() throws IOException {
    CapacityRun.Plan plan = new CapacityRun.Plan(seeds, burst, nodes, slots, reserve, container);
    return new CapacityRun(invocation, plan, new PacingPlan.Output(csv, svg, html)).run();
  }

  /**
   * One comparison of arrangements. Separate from the command, because the parser inspects the
   * methods of commands, and only the class path of servers has the simulator.
   */
  private static final class CapacityRun {
    private static final List<Figure> FIGURES =
        List.of(
            new Figure("HELD-H", "%.1f", CapacityResult::heldHours),
            new Figure("HELD/NEEDED", "%.2f", result -> result.heldHours() / result.neededHours()),
            new Figure("MOST", "%.0f", CapacityResult::mostHeld),
            new Figure("MEAN-WAIT-S", "%.3f", CapacityResult::meanWait),
            new Figure("P99-S", "%.2f", CapacityResult::p99Wait),
            new Figure("LONGEST-S", "%.0f", CapacityResult::longestWait),
            new Figure("BURST-ENOUGH-S", "%.0f", CapacityResult::enoughAfterBurst),
            new Figure("BURST-CALM-S", "%.0f", CapacityResult::calmAfterBurst),
            new Figure("LOSS-CALM-S", "%.0f", CapacityResult::calmAfterLoss),
            new Figure("MOVES", "%.1f", CapacityResult::moves),
            new Figure("STARTS", "%.0f", CapacityResult::starts),
            new Figure("LEFT", "%.0f", CapacityResult::leftOver));

    private final Invocation invocation;
    private final Plan plan;
    private final PacingPlan.Output output;

    /**
     * What is compared.
     *
     * @param seeds days that differ by chance
     * @param burst in usual arrivals
     * @param nodes execution nodes
     * @param slots of one node
     * @param reserve of the static configuration
     * @param container consumers of one container
     */
    record Plan(int seeds, double burst, int nodes, int slots, double reserve, int container) {}

    private record Figure(String title, String pattern, ToDoubleFunction<CapacityResult> value) {
      String of(CapacityResult result) {
        return String.format(Locale.ROOT, pattern, value.applyAsDouble(result));
      }
    }

    CapacityRun(Invocation invocation, Plan plan, PacingPlan.Output output) {
      this.invocation = invocation;
      this.plan = plan;
      this.output = output;
    }

    int run() throws IOException {
      try {
        compare();
      } catch (IllegalArgumentException e) {
        throw new MillraceException(ErrorCode.INVALID_REQUEST, e.getMessage(), e);
      }
      return 0;
    }

    private void compare() throws IOException {
      CapacityDay day =
          CapacityDay.usual().withBurst(plan.burst()).withCluster(plan.nodes(), plan.slots());
      ContainerSettings containers = ContainerSettings.usual().withConsumers(plan.container());
      CapacityComparison comparison =
          new CapacityComparison(day, containers, plan.reserve(), plan.seeds());
      List<CapacityResult> results = comparison.run();
      ResultFiles.write(output, "Simulated capacity", csv(results), List.of(chart(comparison)));
      if (invocation.json()) {
        invocation
            .terminal()
            .json(Map.of("day", day, "containers", containers, "results", results));
        return;
      }
      invocation.lines(assumptions(day));
      invocation.line("");
      invocation.print(table(results), "nothing was simulated");
    }

    private static String chart(CapacityComparison comparison) {
      List<CurvesChart.Line<CapacitySample>> lines = new ArrayList<>();
      comparison
          .firstDay()
          .forEach((name, samples) -> lines.add(new CurvesChart.Line<>(name, samples)));
      return CurvesChart.capacity("A day from 04:00 with a burst and the loss of a node", lines);
    }

    private List<String> assumptions(CapacityDay day) {
      return List.of(
          String.format(
              Locale.ROOT,
              "means of %d day(s) from 04:00 to 04:00 on %d nodes with %d slots; %.1f s per event;"
                  + " the large kind has %.3g times its load for %.0f min from 10:00;",
              plan.seeds(),
              day.nodes(),
              day.slots(),
              day.secondsPerEvent(),
              day.burst(),
              day.burstSeconds() / 60),
          String.format(
              Locale.ROOT,
              "a node is lost from 13:35 to 15:35. HELD-H are consumer or worker hours,"
                  + " ENOUGH is the time until the backlog of the burst stops growing,"),
          "CALM the time until no event is older than 10 s for a minute");
    }

    private static Table table(List<CapacityResult> results) {
      List<Column> columns = new ArrayList<>(List.of(Column.left("ARRANGEMENT")));
      FIGURES.forEach(figure -> columns.add(Column.right(figure.title())));
      Table table = new Table(columns.toArray(Column[]::new));
      for (CapacityResult result : results) {
        List<Object> row = new ArrayList<>(List.of(result.arrangement()));
        FIGURES.forEach(figure -> row.add(figure.of(result)));
        table.row(row.toArray());
      }
      return table;
    }

    private static List<String> csv(List<CapacityResult> results) {
      List<String> lines = new ArrayList<>();
      lines.add("ARRANGEMENT," + String.join(",", FIGURES.stream().map(Figure::title).toList()));
      for (CapacityResult result : results) {
        List<String> fields = FIGURES.stream().map(figure -> figure.of(result)).toList();
        lines.add(result.arrangement().replace(",", "") + "," + String.join(",", fields));
      }
      return lines;
    }
  }
}
