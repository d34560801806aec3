package io.millrace.cli.bench;

import io.millrace.cli.invocation.ExitCode;
import io.millrace.cli.invocation.Invocation;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code millrace bench queue}. */
@Command(
    name = "queue",
    description = "Throughput and delay of put, lease and acknowledgement.",
    footer = {
      "",
      "For each batch size: putPerSecond without consumers, leaseAckPerSecond of what they stored,",
      "and endToEndPerSecond with producers and consumers at once; the delays are those of the",
      "latter, from before the put to the lease's answer. Median of the runs by endToEndPerSecond.",
      "forcedWritesPerSecond is the disk's own limit: 4 KiB written and forced, in the same run.",
      "",
      "Examples:",
      "  millrace bench queue",
      "  millrace bench queue --batch 100 --json"
    })
final class QueueBenchCommand implements Callable<Integer> {
  private final Invocation invocation;

  @Mixin private NodeOptions node;

  @Option(
      names = "--batch",
      split = ",",
      paramLabel = "N",
      defaultValue = "1,10,100",
      description = "Events in a request (default: ${DEFAULT-VALUE}).")
  private List<Integer> batches = new ArrayList<>();

  @Option(
      names = "--events",
      paramLabel = "N",
      description = "Events of each phase (default: 10,000 to 500,000 by the batch size).")
  private int events;

  @Option(names = "--runs", defaultValue = "3", description = "Runs (default: ${DEFAULT-VALUE}).")
  private int runs;

  @Option(names = "--nodes", defaultValue = "1", description = "Queue nodes.")
  private int nodes;

  @Option(names = "--producers", defaultValue = "8", description = "Producers at once.")
  private int producers;

  @Option(names = "--consumers", defaultValue = "8", description = "Consumers at once.")
  private int consumers;

  QueueBenchCommand(Invocation invocation) {
    this.invocation = invocation;
  }

  @Override
  public Integer call() throws Exception {
    NodeOptions.require(
        batches.stream().allMatch(size -> size >= 1 && size <= 10_000), "--batch is 1 to 10000");
    NodeOptions.require(runs >= 1, "--runs is at least 1");
    NodeOptions.require(nodes >= 1 && nodes <= 10, "--nodes is 1 to 10");
    NodeOptions.require(
        producers >= 1 && consumers >= 1, "--producers and --consumers are at least 1");
    NodeOptions.require(events >= 0, "--events is not negative");
    QueueBench.Plan plan =
        new QueueBench.Plan(
            batches, events, runs, producers, consumers, new NodeShape(nodes, node));
    boolean kept = new QueueBench(invocation, plan).run();
    return (kept ? ExitCode.OK : ExitCode.FAILED).code();
  }
}
