package io.millrace.cli.simulate;

import io.millrace.cli.invocation.Invocation;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(
    name = "balance",
    description = {
      "Runs days of the published configurations of queue nodes under the balancing policies.",
      "Every figure comes from the run; equal seeds give equal days."
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
      defaultValue = "all",
      description = "1 to 4, or all (default: ${DEFAULT-VALUE}).")
  private String configuration;

  @Option(
      names = "--policy",
      description = "measured, random-one, random-25 or random-40; may be repeated (default: all).")
  private List<String> policies = new ArrayList<>();

  @Option(
      names = "--seeds",
      defaultValue = "3",
      description = "Days that differ by chance (default: ${DEFAULT-VALUE}).")
  private int seeds;

  @Option(
      names = "--interval",
      defaultValue = "15m",
      description = "Between two selections of a random policy (default: ${DEFAULT-VALUE}).")
  private Duration interval;

  @Option(names = "--csv", paramLabel = "FILE", description = "Also write the table as CSV.")
  private Path csv;

  @Option(
      names = "--svg",
      paramLabel = "FILE",
      description = "Also draw the first day; needs one configuration and one policy.")
  private Path svg;

  @Option(
      names = "--html",
      paramLabel = "FILE",
      description = "Also write figures and the first days' charts as a page.")
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
}
