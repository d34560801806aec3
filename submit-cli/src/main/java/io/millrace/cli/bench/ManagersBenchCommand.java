package io.millrace.cli.bench;

import io.millrace.cli.invocation.ExitCode;
import io.millrace.cli.invocation.Invocation;
import io.millrace.cli.output.Figures;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code millrace bench managers}. */
@Command(
    name = "managers",
    description = "Measures what very many queue managers cost an execution node and the rest.",
    footer = {
      "",
      "A queue node and an execution node run as processes of their own, the central manager in",
      "this one. Each queue has one segment and its queue manager; nothing waits. Asked is that",
      "each manager decides at each tick, and that neither the execution node nor the central",
      "manager takes half a processor.",
      "",
      "Example:",
      "  millrace bench managers --queues 1000 --tick 5s --time 1m"
    })
final class ManagersBenchCommand implements Callable<Integer> {
  private static final double HALF = 0.5;

  private final Invocation invocation;

  @Option(
      names = "--queues",
      defaultValue = "1000",
      description = "Queues, each with one manager (default: ${DEFAULT-VALUE}).")
  private int queues;

  @Option(names = "--tick", defaultValue = "5s", description = "Time between two decisions.")
  private Duration tick;

  @Option(names = "--time", defaultValue = "1m", description = "How long is measured.")
  private Duration time;

  ManagersBenchCommand(Invocation invocation) {
    this.invocation = invocation;
  }

  @Override
  public Integer call() throws Exception {
    NodeOptions.require(queues >= 1 && queues <= 5_000, "--queues is 1 to 5000");
    NodeOptions.require(tick.toMillis() >= 100, "--tick is at least 100ms");
    NodeOptions.require(time.compareTo(tick.multipliedBy(2)) >= 0, "--time is two ticks at least");
    ManagersResult result =
        new ManagersBench(invocation.clock(), queues, tick, time, invocation.terminal()::note)
            .run();
    invocation.answer(result, () -> print(result));
    boolean kept =
        result.executionNodeCores() < HALF
            && result.centralManagerCores() < HALF
            && result.decisionsPerTick() > 0.9 * queues;
    return (kept ? ExitCode.OK : ExitCode.FAILED).code();
  }

  private void print(ManagersResult result) {
    invocation
        .terminal()
        .line(
            result.managers()
                + " queue managers decided "
                + Figures.rate(result.decisionsPerTick())
                + " times in each tick");
    cores("execution node", result.executionNodeCores());
    cores("central manager", result.centralManagerCores());
    cores("queue node", result.queueNodeCores());
  }

  private void cores(String role, double cores) {
    invocation
        .terminal()
        .line(String.format(java.util.Locale.ROOT, "%-16s %.3f processors", role, cores));
  }
}
