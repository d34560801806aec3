package io.millrace.bench.queue;

import io.millrace.api.MillraceException;
import io.millrace.bench.process.WorkerThreads;
import io.millrace.bench.queue.BenchClient.Bodies;
import io.millrace.bench.queue.QueueNodeCluster.ClusterShape;
import io.millrace.platform.clock.Clock;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;

/** Measures the delay of single events that are put at a steady rate. Not thread-safe. */
public final class PutsBench {
  private static final long LONGEST = Duration.ofMinutes(10).toNanos();
  private static final int DIGITS = 3;
  private static final int WARM_UP_SECONDS = 8;
  private static final double SECOND = 1e9;

  private final Plan plan;
  private final Clock clock;
  private final Consumer<String> progress;
  private final Bodies bodies;

  /**
   * A benchmark that has not started.
   *
   * @param progress receives a line for each step
   */
  public PutsBench(Plan plan, Clock clock, Consumer<String> progress) {
    this.plan = plan;
    this.clock = clock;
    this.progress = progress;
    this.bodies = new Bodies(plan.shape().payload());
  }

  /** Runs it; blocks until the last put has been answered. */
  public Result run() throws IOException, InterruptedException {
    System.setProperty("http.maxConnections", String.valueOf(plan.producers()));
    try (QueueNodeCluster cluster = QueueNodeCluster.start(plan.shape(), clock)) {
      long forced = ForcedWrites.perSecond(cluster.folder(), clock);
      progress.accept("warming up");
      once(cluster, WARM_UP_SECONDS, forced, "warm");
      return once(cluster, plan.seconds(), forced, "puts");
    }
  }

  private Result once(QueueNodeCluster cluster, int seconds, long forced, String name)
      throws InterruptedException {
    Histogram delays = new ConcurrentHistogram(LONGEST, DIGITS);
    LongAdder failed = new LongAdder();
    AtomicLong next = new AtomicLong();
    long puts = (long) plan.rate() * seconds;
    long begin = clock.nanoTime();
    WorkerThreads threads = new WorkerThreads("puts");
    threads.start(
        plan.producers(),
        producer -> {
          BenchClient client = cluster.client(0);
          for (long put = next.getAndIncrement(); put < puts; put = next.getAndIncrement()) {
            long due = begin + Math.round(put * SECOND / plan.rate());
            awaitTime(due);
            if (put(client, name, put)) {
              delays.recordValue(Math.min(LONGEST, Math.max(0, clock.nanoTime() - due)));
            } else {
              failed.increment();
            }
          }
        });
    threads.await();
    double took = (clock.nanoTime() - begin) / SECOND;
    return new Result(
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

  /**
   * What is measured.
   *
   * @param rate puts per second
   * @param seconds duration
   * @param newConnections whether each put opens a connection of its own
   * @param producers number of concurrent producers
   * @param shape of the queue node
   */
  public record Plan(
      int rate, int seconds, boolean newConnections, int producers, ClusterShape shape) {}

  /**
   * Single events at a steady rate; the components are the fields of {@code --json}.
   *
   * @param rate requested puts per second
   * @param putPerSecond acknowledged puts per second
   * @param newConnections whether each put had a connection of its own
   * @param p50Millis from when the put was due until it was acknowledged, median
   * @param p99Millis the same, 99th percentile
   * @param maxMillis the same, maximum
   * @param failed puts that were not acknowledged
   * @param forcedWritesPerSecond 4 KiB written and forced per second, by one writer, in the same
   *     run
   */
  public record Result(
      int rate,
      long putPerSecond,
      boolean newConnections,
      double p50Millis,
      double p99Millis,
      double maxMillis,
      long failed,
      long forcedWritesPerSecond) {}
}
