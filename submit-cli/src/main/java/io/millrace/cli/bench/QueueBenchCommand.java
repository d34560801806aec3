package io.millrace.cli.bench;

import io.millrace.api.Json;
import io.millrace.cli.bench.BenchClient.Bodies;
import io.millrace.cli.bench.Load.Delivered;
import io.millrace.cli.bench.NodeOptions.NodeShape;
import io.millrace.cli.invocation.ExitCode;
import io.millrace.cli.invocation.Invocation;
import io.millrace.cli.output.Figures;
import io.millrace.cli.output.Table;
import io.millrace.cli.output.Table.Column;
import io.millrace.platform.clock.Clock;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Semaphore;
import org.HdrHistogram.Histogram;
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

  /** Runs the throughput benchmark and prints it. */
  static final class QueueBench {
    private static final int WARM_UP = 3;
    private static final int AHEAD = 4;

    /**
     * What is measured.
     *
     * @param batches sizes, one after the other
     * @param events of each phase; 0 for as many as the batch size makes sensible
     * @param runs of each size
     * @param producers at once
     * @param consumers at once
     * @param shape of the nodes
     */
    record Plan(
        List<Integer> batches,
        int events,
        int runs,
        int producers,
        int consumers,
        NodeShape shape) {
      int events(int batch) {
        return events > 0 ? events : Math.min(500_000, 10_000 * batch);
      }
    }

    private final Invocation invocation;
    private final Plan plan;
    private final Clock clock;
    private final Bodies bodies;
    private int phases;

    QueueBench(Invocation invocation, Plan plan) {
      this.invocation = invocation;
      this.plan = plan;
      this.clock = invocation.clock();
      this.bodies = new Bodies(plan.shape().payload());
    }

    /** Whether no event was lost. */
    boolean run() throws IOException, InterruptedException {
      // Idle connections kept for each thread; the default of 5 would make new ones.
      System.setProperty(
          "http.maxConnections", String.valueOf(plan.producers() + plan.consumers()));
      List<BenchResult> results = new ArrayList<>();
      try (BenchCluster cluster = BenchCluster.start(plan.shape(), clock)) {
        for (int batch : plan.batches()) {
          BenchResult result = median(cluster, batch);
          results.add(result);
          if (invocation.json()) {
            invocation.line(Json.write(result));
          }
        }
      }
      if (!invocation.json()) {
        print(results);
      }
      return results.stream().allMatch(result -> result.lost() == 0);
    }

    private BenchResult median(BenchCluster cluster, int batch)
        throws IOException, InterruptedException {
      invocation.note("batch " + batch + ": warming up");
      for (int i = 0; i < WARM_UP; i++) {
        once(cluster, batch, Math.max(batch, plan.events(batch) / 5));
      }
      List<BenchResult> runs = new ArrayList<>();
      for (int i = 0; i < plan.runs(); i++) {
        BenchResult result = once(cluster, batch, plan.events(batch));
        runs.add(result);
        invocation.note(
            "batch "
                + batch
                + ", run "
                + (i + 1)
                + ": "
                + Figures.count(result.endToEndPerSecond())
                + " events/s end to end, p99 "
                + result.p99Millis()
                + " ms");
      }
      long lost = runs.stream().mapToLong(BenchResult::lost).sum();
      runs.sort(Comparator.comparingLong(BenchResult::endToEndPerSecond));
      BenchResult middle = runs.get(runs.size() / 2);
      return lost == middle.lost() ? middle : withLost(middle, lost);
    }

    /** Events lost in any run count, not only those of the median one. */
    private static BenchResult withLost(BenchResult result, long lost) {
      return new BenchResult(
          result.batch(),
          result.putPerSecond(),
          result.leaseAckPerSecond(),
          result.endToEndPerSecond(),
          result.p50Millis(),
          result.p99Millis(),
          result.forcedWritesPerSecond(),
          result.events(),
          lost,
          result.duplicates());
    }

    private BenchResult once(BenchCluster cluster, int batch, long events)
        throws IOException, InterruptedException {
      long forced = ForcedWrites.perSecond(cluster.folder(), clock);
      Load apart = load(cluster, batch, events);
      long put = rate(events, crew -> crew.start(plan.producers(), n -> apart.produce(n, null)));
      long taken = rate(events, crew -> crew.start(plan.consumers(), n -> apart.consume(n, null)));
      Load together = load(cluster, batch, events);
      Semaphore window = new Semaphore(plan.producers() * AHEAD * batch);
      long all =
          rate(
              events,
              crew -> {
                crew.start(plan.producers(), n -> together.produce(n, window));
                crew.start(plan.consumers(), n -> together.consume(n, window));
              });
      Delivered one = apart.delivered();
      Delivered other = together.delivered();
      Histogram delays = together.delays();
      return new BenchResult(
          batch,
          put,
          taken,
          all,
          millis(delays.getValueAtPercentile(50)),
          millis(delays.getValueAtPercentile(99)),
          forced,
          2 * events,
          2 * events - one.distinct() - other.distinct(),
          one.duplicates() + other.duplicates());
    }

    private Load load(BenchCluster cluster, int batch, long events) {
      phases++;
      return new Load(cluster, bodies, clock, "bench" + phases, batch, events);
    }

    private interface Start {
      void of(WorkerThreads crew);
    }

    private long rate(long events, Start start) throws InterruptedException {
      WorkerThreads crew = new WorkerThreads("bench");
      return Math.round(
          Rate.perSecond(
              clock,
              events,
              () -> {
                start.of(crew);
                crew.await();
              }));
    }

    static double millis(long nanos) {
      return Math.round(nanos / 1e4) / 100.0;
    }

    private void print(List<BenchResult> results) {
      Table table =
          new Table(
              Column.right("BATCH"),
              Column.right("PUT/S"),
              Column.right("LEASE+ACK/S"),
              Column.right("END TO END/S"),
              Column.right("P50 MS"),
              Column.right("P99 MS"),
              Column.right("FORCED WRITES/S"),
              Column.right("EVENTS"),
              Column.right("LOST"));
      for (BenchResult result : results) {
        table.row(
            result.batch(),
            result.putPerSecond(),
            result.leaseAckPerSecond(),
            result.endToEndPerSecond(),
            String.valueOf(result.p50Millis()),
            String.valueOf(result.p99Millis()),
            result.forcedWritesPerSecond(),
            result.events(),
            result.lost());
      }
      invocation.print(table, "nothing was measured");
    }

    /**
     * One line of the benchmark; the fields are those of {@code --json}.
     *
     * @param batch events in a request
     * @param putPerSecond events stored per second without consumers
     * @param leaseAckPerSecond events leased and acknowledged per second without producers
     * @param endToEndPerSecond events put, leased, delivered and acknowledged per second, all at
     *     once
     * @param p50Millis from before the put to the lease's answer, end to end, median
     * @param p99Millis the same, 99th percentile
     * @param forcedWritesPerSecond 4 KiB written and forced per second, by one writer
     * @param events events of all phases of this run
     * @param lost events whose put was acknowledged and that were never delivered
     * @param duplicates deliveries beyond the first
     */
    private record BenchResult(
        int batch,
        long putPerSecond,
        long leaseAckPerSecond,
        long endToEndPerSecond,
        double p50Millis,
        double p99Millis,
        long forcedWritesPerSecond,
        long events,
        long lost,
        long duplicates) {}
  }
}
