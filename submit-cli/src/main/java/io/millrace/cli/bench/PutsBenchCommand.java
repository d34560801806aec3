package io.millrace.cli.bench;

import io.millrace.api.Json;
import io.millrace.api.MillraceException;
import io.millrace.cli.bench.BenchClient.Bodies;
import io.millrace.cli.bench.NodeOptions.NodeShape;
import io.millrace.cli.bench.QueueBenchCommand.QueueBench;
import io.millrace.cli.invocation.ExitCode;
import io.millrace.cli.invocation.Invocation;
import io.millrace.cli.output.Table;
import io.millrace.cli.output.Table.Column;
import io.millrace.platform.clock.Clock;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code millrace bench puts}. */
@Command(
    name = "puts",
    description = "Delay of single events put at a steady rate.",
    footer = {
      "",
      "Each put has its time; its delay counts from then on, so that a put that had to wait for an",
      "earlier one is not made to look short.",
      "",
      "Example:",
      "  millrace bench puts --rate 2000 --seconds 20 --new-connections"
    })
final class PutsBenchCommand implements Callable<Integer> {
  private final Invocation invocation;

  @Mixin private NodeOptions node;

  @Option(names = "--rate", defaultValue = "2000", description = "Puts per second.")
  private int rate;

  @Option(names = "--seconds", defaultValue = "20", description = "How long it goes on.")
  private int seconds;

  @Option(
      names = "--new-connections",
      description = "A connection for each put, as short-lived producers make.")
  private boolean newConnections;

  @Option(names = "--producers", defaultValue = "16", description = "Producers at once.")
  private int producers;

  PutsBenchCommand(Invocation invocation) {
    this.invocation = invocation;
  }

  @Override
  public Integer call() throws Exception {
    NodeOptions.require(rate >= 1 && rate <= 100_000, "--rate is 1 to 100000");
    NodeOptions.require(seconds >= 1 && seconds <= 3_600, "--seconds is 1 to 3600");
    NodeOptions.require(producers >= 1 && producers <= 1_000, "--producers is 1 to 1000");
    PutsBench.Plan plan =
        new PutsBench.Plan(rate, seconds, newConnections, producers, new NodeShape(1, node));
    boolean kept = new PutsBench(invocation, plan).run();
    return (kept ? ExitCode.OK : ExitCode.FAILED).code();
  }

  /** Runs the benchmark of single puts and prints it. */
  private static final class PutsBench {
    private static final long LONGEST = Duration.ofMinutes(10).toNanos();
    private static final int DIGITS = 3;
    private static final int WARM_UP_SECONDS = 8;
    private static final double SECOND = 1e9;

    /**
     * What is measured.
     *
     * @param rate puts per second
     * @param seconds how long
     * @param newConnections whether each put has a connection of its own
     * @param producers at once
     * @param shape of the node
     */
    record Plan(int rate, int seconds, boolean newConnections, int producers, NodeShape shape) {}

    private final Invocation invocation;
    private final Plan plan;
    private final Clock clock;
    private final Bodies bodies;

    PutsBench(Invocation invocation, Plan plan) {
      this.invocation = invocation;
      this.plan = plan;
      this.clock = invocation.clock();
      this.bodies = new Bodies(plan.shape().payload());
    }

    /** Whether every put was acknowledged. */
    boolean run() throws IOException, InterruptedException {
      System.setProperty("http.maxConnections", String.valueOf(plan.producers()));
      try (BenchCluster cluster = BenchCluster.start(plan.shape(), clock)) {
        long forced = ForcedWrites.perSecond(cluster.folder(), clock);
        invocation.note("warming up");
        once(cluster, WARM_UP_SECONDS, forced, "warm");
        PutsResult result = once(cluster, plan.seconds(), forced, "puts");
        print(result);
        return result.failed() == 0;
      }
    }

    private PutsResult once(BenchCluster cluster, int seconds, long forced, String name)
        throws InterruptedException {
      Histogram delays = new ConcurrentHistogram(LONGEST, DIGITS);
      LongAdder failed = new LongAdder();
      AtomicLong next = new AtomicLong();
      long puts = (long) plan.rate() * seconds;
      long begun = clock.nanoTime();
      WorkerThreads crew = new WorkerThreads("puts");
      crew.start(
          plan.producers(),
          producer -> {
            BenchClient client = cluster.client(0);
            for (long put = next.getAndIncrement(); put < puts; put = next.getAndIncrement()) {
              long due = begun + Math.round(put * SECOND / plan.rate());
              awaitTime(due);
              if (put(client, name, put)) {
                delays.recordValue(Math.min(LONGEST, Math.max(0, clock.nanoTime() - due)));
              } else {
                failed.increment();
              }
            }
          });
      crew.await();
      double took = (clock.nanoTime() - begun) / SECOND;
      return new PutsResult(
          plan.rate(),
          Math.round(delays.getTotalCount() / took),
          plan.newConnections(),
          QueueBench.millis(delays.getValueAtPercentile(50)),
          QueueBench.millis(delays.getValueAtPercentile(99)),
          QueueBench.millis(delays.getMaxValue()),
          failed.sum(),
          forced);
    }

    private void awaitTime(long due) {
      for (long rest = due - clock.nanoTime(); rest > 0; rest = due - clock.nanoTime()) {
        LockSupport.parkNanos(rest);
      }
    }

    private boolean put(BenchClient client, String name, long number) {
      byte[] line = bodies.lines(number, 1, clock.nanoTime());
      try {
        if (plan.newConnections()) {
          client.putOnNewConnection(line);
        } else {
          client.put(name + "-" + number, line);
        }
        return true;
      } catch (MillraceException | IOException e) {
        return false;
      }
    }

    private void print(PutsResult result) {
      if (invocation.json()) {
        invocation.line(Json.write(result));
        return;
      }
      Table table =
          new Table(
              Column.right("PUTS ASKED/S"),
              Column.right("PUT/S"),
              Column.right("P50 MS"),
              Column.right("P99 MS"),
              Column.right("MAX MS"),
              Column.right("FAILED"),
              Column.right("FORCED WRITES/S"));
      table.row(
          result.rate(),
          result.putPerSecond(),
          String.valueOf(result.p50Millis()),
          String.valueOf(result.p99Millis()),
          String.valueOf(result.maxMillis()),
          result.failed(),
          result.forcedWritesPerSecond());
      invocation.print(table, "nothing was measured");
    }

    /**
     * Single events at a steady rate; the fields are those of {@code --json}.
     *
     * @param rate puts asked for per second
     * @param putPerSecond puts that were acknowledged per second
     * @param newConnections whether each put had a connection of its own
     * @param p50Millis from when the put was due until it was acknowledged, median
     * @param p99Millis the same, 99th percentile
     * @param maxMillis the longest
     * @param failed puts that were not acknowledged
     * @param forcedWritesPerSecond 4 KiB written and forced per second, by one writer, in the same
     *     run
     */
    private record PutsResult(
        int rate,
        long putPerSecond,
        boolean newConnections,
        double p50Millis,
        double p99Millis,
        double maxMillis,
        long failed,
        long forcedWritesPerSecond) {}
  }
}
