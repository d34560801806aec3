package io.millrace.cli.bench;

import io.millrace.api.Durations;
import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.insight.QueueView;
import io.millrace.cli.bench.ManagersBenchCommand.ManagersBench.ManagersResult;
import io.millrace.cli.invocation.ExitCode;
import io.millrace.cli.invocation.Invocation;
import io.millrace.cli.output.Figures;
import io.millrace.platform.clock.Clock;
import io.millrace.platform.lifecycle.Waiter;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
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
    invocation.line(
        result.managers()
            + " queue managers decided "
            + Figures.rate(result.decisionsPerTick())
            + " times in each tick");
    cores("execution node", result.executionNodeCores());
    cores("central manager", result.centralManagerCores());
    cores("queue node", result.queueNodeCores());
  }

  private void cores(String role, double cores) {
    invocation.line(String.format(java.util.Locale.ROOT, "%-16s %.3f processors", role, cores));
  }

  /** Runs one queue manager for each of very many queues and looks at the processors. */
  static final class ManagersBench {
    private static final Duration LOOK = Duration.ofSeconds(1);
    private static final int LOOKS = 300;
    private static final int DEFINITIONS_AT_ONCE = 250;

    private final Clock clock;
    private final int queues;
    private final Duration tick;
    private final Duration time;
    private final Consumer<String> notes;
    private final Waiter waiter = new Waiter();

    ManagersBench(Clock clock, int queues, Duration tick, Duration time, Consumer<String> notes) {
      this.clock = clock;
      this.queues = queues;
      this.tick = tick;
      this.time = time;
      this.notes = notes;
    }

    /** Processor time so far, and decisions. */
    private record Reading(
        long nanos, Duration central, Duration executor, Duration queueNode, long decisions) {}

    ManagersResult run() throws IOException, InterruptedException {
      try (BenchRoles roles = new BenchRoles(null, clock)) {
        RoleProcess queueNode = roles.start("queue-node", "q1", "512m", Map.of());
        RoleProcess executor = roles.startAlone("executor-node", "e1", "512m", Map.of("slots", 2));
        define(roles);
        awaitAllManagers(roles);
        notes.accept("all " + queues + " decide; measuring for " + Durations.format(time));
        // What starting them cost is over after a few ticks.
        waiter.await(tick.multipliedBy(2));
        Reading before = read(roles, executor, queueNode);
        waiter.await(time);
        return result(before, read(roles, executor, queueNode));
      }
    }

    private void define(BenchRoles roles) {
      StringBuilder yaml = new StringBuilder();
      for (int number = 1; number <= queues; number++) {
        yaml.append("---\nkind: queue\nname: bench-")
            .append(number)
            .append("\nminSegments: 1\npacing: {tick: ")
            .append(Durations.format(tick))
            .append("}\nworker: {command: ['true']}\n");
        if (number % DEFINITIONS_AT_ONCE == 0 || number == queues) {
          roles.apply(yaml.toString());
          yaml.setLength(0);
        }
      }
    }

    private void awaitAllManagers(BenchRoles roles) throws InterruptedException {
      for (int looks = 0; looks < LOOKS; looks++) {
        long deciding =
            roles.central().overview().queues().stream()
                .filter(queue -> queue.managerDecisions() > 0)
                .count();
        if (deciding == queues) {
          return;
        }
        waiter.await(LOOK);
      }
      throw new MillraceException(ErrorCode.TIMEOUT, "not all queue managers came to decide");
    }

    private Reading read(BenchRoles roles, RoleProcess executor, RoleProcess queueNode) {
      long decisions =
          roles.central().overview().queues().stream().mapToLong(QueueView::managerDecisions).sum();
      return new Reading(
          clock.nanoTime(),
          ProcessHandle.current().info().totalCpuDuration().orElse(Duration.ZERO),
          executor.processorTime(),
          queueNode.processorTime(),
          decisions);
    }

    private ManagersResult result(Reading before, Reading after) {
      double seconds = (after.nanos - before.nanos) / 1e9;
      return new ManagersResult(
          queues,
          seconds,
          (after.decisions - before.decisions) / seconds * tick.toMillis() / 1e3,
          cores(before.executor, after.executor, seconds),
          cores(before.central, after.central, seconds),
          cores(before.queueNode, after.queueNode, seconds));
    }

    private static double cores(Duration before, Duration after, double seconds) {
      return after.minus(before).toMillis() / 1e3 / seconds;
    }

    /**
     * What very many queue managers cost.
     *
     * @param managers how many
     * @param seconds how long was measured
     * @param decisionsPerTick decisions recorded in the time of one tick
     * @param executionNodeCores processors that the node which runs the managers kept busy
     * @param centralManagerCores the same of the central manager, its database in its own process
     * @param queueNodeCores the same of the node that holds the segments
     */
    record ManagersResult(
        int managers,
        double seconds,
        double decisionsPerTick,
        double executionNodeCores,
        double centralManagerCores,
        double queueNodeCores) {}
  }
}
