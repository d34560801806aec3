package io.millrace.bench.queue;

import io.millrace.bench.process.Rate;
import io.millrace.bench.process.WorkerThreads;
import io.millrace.bench.queue.BenchClient.Bodies;
import io.millrace.bench.queue.EventLoad.Delivered;
import io.millrace.bench.queue.QueueNodeCluster.ClusterShape;
import io.millrace.platform.clock.Clock;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Semaphore;
import java.util.function.Consumer;
import org.HdrHistogram.Histogram;

/** Measures throughput and delay of put, lease and acknowledgement. Not thread-safe. */
public final class QueueBench {
  private static final int WARM_UP_ROUNDS = 3;
  private static final int BATCHES_AHEAD = 4;

  private final Plan plan;
  private final Clock clock;
  private final Consumer<String> progress;
  private final Bodies bodies;
  private int phases;

  /**
   * A benchmark that has not started.
   *
   * @param progress receives a line for each step
   */
  public QueueBench(Plan plan, Clock clock, Consumer<String> progress) {
    this.plan = plan;
    this.clock = clock;
    this.progress = progress;
    this.bodies = new Bodies(plan.shape().payload());
  }

  /**
   * Runs it; blocks for minutes.
   *
   * @param measured receives the result of each batch size as soon as it is known
   * @return all results, in the order of the batch sizes
   */
  public List<Result> run(Consumer<Result> measured) throws IOException, InterruptedException {
    // Idle connections kept for each thread; with the default of 5, threads would reconnect.
    System.setProperty("http.maxConnections", String.valueOf(plan.producers() + plan.consumers()));
    List<Result> results = new ArrayList<>();
    try (QueueNodeCluster cluster = QueueNodeCluster.start(plan.shape(), clock)) {
      for (int batch : plan.batches()) {
        Result result = median(cluster, batch);
        results.add(result);
        measured.accept(result);
      }
    }
    return results;
  }

  private Result median(QueueNodeCluster cluster, int batch)
      throws IOException, InterruptedException {
    progress.accept("batch " + batch + ": warming up");
    for (int i = 0; i < WARM_UP_ROUNDS; i++) {
      once(cluster, batch, Math.max(batch, plan.events(batch) / 5));
    }
    List<Result> runs = new ArrayList<>();
    for (int number = 1; number <= plan.runs(); number++) {
      Result result = once(cluster, batch, plan.events(batch));
      runs.add(result);
      progress.accept(
          String.format(
              Locale.ROOT,
              "batch %d, run %d: %,d events/s end to end, p99 %s ms",
              batch,
              number,
              result.endToEndPerSecond(),
              result.p99Millis()));
    }
    long lost = runs.stream().mapToLong(Result::lost).sum();
    runs.sort(Comparator.comparingLong(Result::endToEndPerSecond));
    // Events lost in any run count, not only those of the median one.
    return runs.get(runs.size() / 2).withLost(lost);
  }

  private Result once(QueueNodeCluster cluster, int batch, long events)
      throws IOException, InterruptedException {
    long forced = ForcedWrites.perSecond(cluster.folder(), clock);
    EventLoad separate = load(cluster, batch, events);
    long put =
        rate(events, threads -> threads.start(plan.producers(), n -> separate.produce(n, null)));
    long leased =
        rate(events, threads -> threads.start(plan.consumers(), n -> separate.consume(n, null)));
    EventLoad together = load(cluster, batch, events);
    Semaphore window = new Semaphore(plan.producers() * BATCHES_AHEAD * batch);
    long endToEnd =
        rate(
            events,
            threads -> {
              threads.start(plan.producers(), n -> together.produce(n, window));
              threads.start(plan.consumers(), n -> together.consume(n, window));
            });
    Delivered first = separate.delivered();
    Delivered second = together.delivered();
    Histogram delays = together.delays();
    return new Result(
        batch,
        put,
        leased,
        endToEnd,
        millis(delays.getValueAtPercentile(50)),
        millis(delays.getValueAtPercentile(99)),
        forced,
        2 * events,
        2 * events - first.distinct() - second.distinct(),
        first.duplicates() + second.duplicates());
  }

  private EventLoad load(QueueNodeCluster cluster, int batch, long events) {
    phases++;
    return new EventLoad(cluster, bodies, clock, "bench" + phases, batch, events);
  }

  private long rate(long events, Consumer<WorkerThreads> start) throws InterruptedException {
    WorkerThreads threads = new WorkerThreads("bench");
    return Math.round(
        Rate.perSecond(
            clock,
            events,
            () -> {
              start.accept(threads);
              threads.await();
            }));
  }

  /** Nanoseconds as milliseconds, to a hundredth. */
  static double millis(long nanos) {
    return Math.round(nanos / 1e4) / 100.0;
  }

  /**
   * What is measured.
   *
   * @param batches batch sizes, measured one after the other
   * @param events number of events in each phase; 0 for a number that suits the batch size
   * @param runs number of runs for each batch size
   * @param producers number of concurrent producers
   * @param consumers number of concurrent consumers
   * @param shape of the queue nodes
   */
  public record Plan(
      List<Integer> batches,
      int events,
      int runs,
      int producers,
      int consumers,
      ClusterShape shape) {
    int events(int batch) {
      return events > 0 ? events : Math.min(500_000, 10_000 * batch);
    }
  }

  /**
   * The median run of one batch size; the components are the fields of {@code --json}.
   *
   * @param batch events per request
   * @param putPerSecond events stored per second without consumers
   * @param leaseAckPerSecond events leased and acknowledged per second without producers
   * @param endToEndPerSecond events put, leased, delivered and acknowledged per second, all at once
   * @param p50Millis from before the put to the lease's answer, end to end, median
   * @param p99Millis the same, 99th percentile
   * @param forcedWritesPerSecond 4 KiB written and forced per second, by one writer
   * @param events events of all phases of this run
   * @param lost events whose put was acknowledged and that were never delivered, in all runs
   * @param duplicates deliveries beyond the first
   */
  public record Result(
      int batch,
      long putPerSecond,
      long leaseAckPerSecond,
      long endToEndPerSecond,
      double p50Millis,
      double p99Millis,
      long forcedWritesPerSecond,
      long events,
      long lost,
      long duplicates) {
    private Result withLost(long total) {
      return new Result(
          batch,
          putPerSecond,
          leaseAckPerSecond,
          endToEndPerSecond,
          p50Millis,
          p99Millis,
          forcedWritesPerSecond,
          events,
          total,
          duplicates);
    }
  }
}
