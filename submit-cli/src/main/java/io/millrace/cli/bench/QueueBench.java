package io.millrace.cli.bench;

import io.millrace.api.Json;
import io.millrace.cli.invocation.Invocation;
import io.millrace.cli.measurement.Crew;
import io.millrace.cli.measurement.Rate;
import io.millrace.cli.output.Column;
import io.millrace.cli.output.Figures;
import io.millrace.cli.output.Table;
import io.millrace.platform.clock.Clock;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.Semaphore;
import org.HdrHistogram.Histogram;

/** Runs the throughput benchmark and prints it. */
final class QueueBench {
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
      List<Integer> batches, int events, int runs, int producers, int consumers, NodeShape shape) {
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
    System.setProperty("http.maxConnections", String.valueOf(plan.producers() + plan.consumers()));
    List<BenchResult> results = new ArrayList<>();
    try (BenchCluster cluster = BenchCluster.start(plan.shape(), clock)) {
      for (int batch : plan.batches()) {
        BenchResult result = median(cluster, batch);
        results.add(result);
        if (invocation.json()) {
          invocation.terminal().line(Json.write(result));
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
    invocation.terminal().note("batch " + batch + ": warming up");
    for (int i = 0; i < WARM_UP; i++) {
      once(cluster, batch, Math.max(batch, plan.events(batch) / 5));
    }
    List<BenchResult> runs = new ArrayList<>();
    for (int i = 0; i < plan.runs(); i++) {
      BenchResult result = once(cluster, batch, plan.events(batch));
      runs.add(result);
      invocation
          .terminal()
          .note(
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
    void of(Crew crew);
  }

  private long rate(long events, Start start) throws InterruptedException {
    Crew crew = new Crew("bench");
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
}
