package io.millrace.cli.simulate;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.cli.invocation.Invocation;
import io.millrace.queuenode.balancing.BalancingPolicies;
import io.millrace.queuenode.balancing.BalancingPolicy;
import io.millrace.queuenode.balancing.BalancingSettings;
import io.millrace.queuenode.balancing.BalancingSettings.RandomPace;
import io.millrace.simulator.balance.Averages;
import io.millrace.simulator.balance.Configuration;
import io.millrace.simulator.balance.Day;
import io.millrace.simulator.balance.DayResult;
import io.millrace.simulator.balance.SimulationSettings;
import io.millrace.simulator.balance.StateChart;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * One simulation of balancing. Apart from the command, because the parser looks at a command's
 * methods, and only the servers' class path has the simulator.
 */
final class BalanceRun {
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
      throw wrong("--seeds is at least 1");
    }
    if (plan.output().svg() != null && configurations.size() * chosen.size() != 1) {
      throw wrong("--svg draws one day: give --config 1 to 4 and one --policy");
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
      throw wrong("there is no configuration " + plan.configuration() + ": give 1 to 4, or all");
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
        String title = "Configuration " + one.number() + ": " + one.words() + "; " + policy.name();
        charts.add(StateChart.of(title, day.samples()));
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
      invocation.terminal().line("configuration " + one.number() + ": " + one.words());
    }
    invocation.terminal().line(BalanceTable.assumptions(world, plan.interval(), plan.seeds()));
    invocation.terminal().line("");
    invocation.print(BalanceTable.table(results), "nothing was simulated");
  }
}
