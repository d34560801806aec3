package io.millrace.cli.bench;

import io.millrace.api.Durations;
import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.insight.QueueView;
import io.millrace.cli.measurement.RoleProcess;
import io.millrace.platform.clock.Clock;
import io.millrace.platform.lifecycle.Waiter;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.function.Consumer;

/** Runs one queue manager for each of very many queues and looks at the processors. */
final class ManagersBench {
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
}
