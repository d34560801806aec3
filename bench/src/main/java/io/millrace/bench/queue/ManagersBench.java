package io.millrace.bench.queue;

import io.millrace.api.Durations;
import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.insight.QueueView;
import io.millrace.bench.process.BenchServers;
import io.millrace.bench.process.RoleProcess;
import io.millrace.platform.clock.Clock;
import io.millrace.platform.lifecycle.Waiter;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.function.Consumer;

/** Measures the processor time that a large number of idle queue managers takes. */
public final class ManagersBench {
  private static final Duration POLL_INTERVAL = Duration.ofSeconds(1);
  private static final int MAX_POLLS = 300;
  private static final int DEFINITIONS_PER_REQUEST = 250;

  private final Plan plan;
  private final Clock clock;
  private final Consumer<String> progress;
  private final Waiter waiter = new Waiter();

  /**
   * A benchmark that has not started.
   *
   * @param progress receives a line for each step
   */
  public ManagersBench(Plan plan, Clock clock, Consumer<String> progress) {
    this.plan = plan;
    this.clock = clock;
    this.progress = progress;
  }

  /** Runs it; blocks until the time of the plan has passed. */
  public Result run() throws IOException, InterruptedException {
    try (BenchServers servers = new BenchServers(null, clock)) {
      RoleProcess queueNode = servers.start("queue-node", "q1", "512m", Map.of());
      RoleProcess executor =
          servers.start(
              "executor-node",
              "e1",
              "512m",
              Map.of("slots", 2, "limits", Map.of("allowRoot", true)));
      define(servers);
      awaitAllManagers(servers);
      progress.accept(
          "all %d queue managers are running; measuring for %s"
              .formatted(plan.queues(), Durations.format(plan.time())));
      // The cost of starting them has passed after a few ticks.
      waiter.await(plan.tick().multipliedBy(2));
      Reading before = read(servers, executor, queueNode);
      waiter.await(plan.time());
      return result(before, read(servers, executor, queueNode));
    }
  }

  private void define(BenchServers servers) {
    StringBuilder yaml = new StringBuilder();
    for (int number = 1; number <= plan.queues(); number++) {
      yaml.append(
          """
          ---
          kind: queue
          name: bench-%d
          minSegments: 1
          pacing: {tick: %s}
          worker: {command: ['true']}
          """
              .formatted(number, Durations.format(plan.tick())));
      if (number % DEFINITIONS_PER_REQUEST == 0 || number == plan.queues()) {
        servers.apply(yaml.toString());
        yaml.setLength(0);
      }
    }
  }

  private void awaitAllManagers(BenchServers servers) throws InterruptedException {
    for (int polls = 0; polls < MAX_POLLS; polls++) {
      long deciding =
          servers.central().overview().queues().stream()
              .filter(queue -> queue.managerDecisions() > 0)
              .count();
      if (deciding == plan.queues()) {
        return;
      }
      waiter.await(POLL_INTERVAL);
    }
    throw new MillraceException(
        ErrorCode.TIMEOUT,
        "not all queue managers made a decision within %d s".formatted(MAX_POLLS));
  }

  private Reading read(BenchServers servers, RoleProcess executor, RoleProcess queueNode) {
    long decisions =
        servers.central().overview().queues().stream().mapToLong(QueueView::managerDecisions).sum();
    return new Reading(
        clock.nanoTime(),
        ProcessHandle.current().info().totalCpuDuration().orElse(Duration.ZERO),
        executor.processorTime(),
        queueNode.processorTime(),
        decisions);
  }

  private Result result(Reading before, Reading after) {
    double seconds = (after.nanos - before.nanos) / 1e9;
    return new Result(
        plan.queues(),
        seconds,
        (after.decisions - before.decisions) / seconds * plan.tick().toMillis() / 1e3,
        cores(before.executor, after.executor, seconds),
        cores(before.central, after.central, seconds),
        cores(before.queueNode, after.queueNode, seconds));
  }

  private static double cores(Duration before, Duration after, double seconds) {
    return after.minus(before).toMillis() / 1e3 / seconds;
  }

  /** Processor time and decisions up to a moment. */
  private record Reading(
      long nanos, Duration central, Duration executor, Duration queueNode, long decisions) {}

  /**
   * What is measured.
   *
   * @param queues number of queues, each with one queue manager
   * @param tick time between two decisions of a queue manager
   * @param time duration of the measurement
   */
  public record Plan(int queues, Duration tick, Duration time) {}

  /**
   * The cost of the queue managers; the components are the fields of {@code --json}.
   *
   * @param managers number of queue managers
   * @param seconds duration of the measurement
   * @param decisionsPerTick decisions recorded in the time of one tick
   * @param executionNodeCores processors that the node which runs the managers kept busy
   * @param centralManagerCores the same for the central manager, including its embedded database
   * @param queueNodeCores the same for the node that holds the segments
   */
  public record Result(
      int managers,
      double seconds,
      double decisionsPerTick,
      double executionNodeCores,
      double centralManagerCores,
      double queueNodeCores) {}
}
