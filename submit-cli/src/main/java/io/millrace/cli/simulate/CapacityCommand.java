package io.millrace.cli.simulate;

import io.millrace.cli.invocation.Invocation;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(
    name = "capacity",
    description = {
      "Runs a day with a burst and the loss of a node under a static configuration,",
      "under containers of consumers (Solution A of the publication) and under the",
      "policy demand. Equal seeds give equal arrivals to all of them."
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
      defaultValue = "3",
      description = "Days that differ by chance (default: ${DEFAULT-VALUE}).")
  private int seeds;

  @Option(
      names = "--burst",
      defaultValue = "4",
      paramLabel = "N",
      description =
          "Events of the large kind in the burst, in usual ones (default: ${DEFAULT-VALUE}).")
  private double burst;

  @Option(
      names = "--nodes",
      defaultValue = "8",
      paramLabel = "N",
      description = "Execution nodes, one of which is lost (default: ${DEFAULT-VALUE}).")
  private int nodes;

  @Option(
      names = "--slots",
      defaultValue = "8",
      paramLabel = "N",
      description = "Consumers or workers on one node at once (default: ${DEFAULT-VALUE}).")
  private int slots;

  @Option(
      names = "--reserve",
      defaultValue = "1.5",
      paramLabel = "N",
      description = {
        "Consumers of the static configuration, in those that the usual peak needs",
        "(default: ${DEFAULT-VALUE})."
      })
  private double reserve;

  @Option(
      names = "--container",
      defaultValue = "2",
      paramLabel = "N",
      description = "Consumers of one container (default: ${DEFAULT-VALUE}).")
  private int container;

  @Option(names = "--csv", paramLabel = "FILE", description = "Also write the table as CSV.")
  private Path csv;

  @Option(names = "--svg", paramLabel = "FILE", description = "Also draw the first day.")
  private Path svg;

  @Option(
      names = "--html",
      paramLabel = "FILE",
      description = "Also write figures and chart as a page.")
  private Path html;

  CapacityCommand(Invocation invocation) {
    this.invocation = invocation;
  }

  @Override
  public Integer call() throws IOException {
    CapacityRun.Plan plan = new CapacityRun.Plan(seeds, burst, nodes, slots, reserve, container);
    return new CapacityRun(invocation, plan, new PacingPlan.Output(csv, svg, html)).run();
  }
}
