package io.millrace.bench.queue;

import io.millrace.bench.process.Rate;
import io.millrace.bench.process.WorkerThreads;
import io.millrace.bench.queue.BenchClient.Bodies;
import io.millrace.bench.queue.QueueNodeCluster.ClusterShape;
import io.millrace.platform.clock.Clock;
import java.io.IOException;
import java.util.function.Consumer;
import java.util.function.IntConsumer;

/** Measures the heap and the put rate of a queue node with a backlog. Not thread-safe. */
public final class BacklogBench {
  private static final int PARTS = 10;
  private static final int WARM_UP_ROUNDS = 3;

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
  public BacklogBench(Plan plan, Clock clock, Consumer<String> progress) {
    this.plan = plan;
    this.clock = clock;
    this.progress = progress;
    this.bodies = new Bodies(plan.shape().payload());
  }

  /** Runs it; blocks for minutes. */
  public Result run() throws IOException, InterruptedException {
    System.setProperty("http.maxConnections", String.valueOf(plan.producers()));
    try (QueueNodeCluster cluster = QueueNodeCluster.start(plan.shape(), clock)) {
      int part = plan.events() / PARTS;
      for (int i = 0; i < WARM_UP_ROUNDS; i++) {
        put(cluster, part);
        drain(cluster, part);
      }
      long emptyHeap = cluster.process(0).liveHeap();
      long empty = put(cluster, part);
      drain(cluster, part);
      for (int i = 1; i <= PARTS; i++) {
        put(cluster, part);
        progress.accept(i * part + " events waiting");
      }
      long heap = cluster.process(0).liveHeap();
      long full = put(cluster, part);
      return new Result(
          plan.events(),
          plan.shape().payload(),
          plan.batch(),
          cluster.process(0).maxHeap() >> 20,
          heap >> 20,
          emptyHeap >> 20,
          empty,
          full,
          Math.round(100.0 * full / empty) / 100.0);
    }
  }

  private long put(QueueNodeCluster cluster, int events) throws InterruptedException {
    EventLoad load = load(cluster, events);
    return Math.round(
        Rate.perSecond(clock, events, () -> inParallel(number -> load.produce(number, null))));
  }

  /** Consumes that many of the events that were put before, whichever they are. */
  private void drain(QueueNodeCluster cluster, int events) throws InterruptedException {
    EventLoad load = load(cluster, events);
    inParallel(number -> load.consume(number, null));
  }

  private void inParallel(IntConsumer work) throws InterruptedException {
    WorkerThreads threads = new WorkerThreads("backlog");
    threads.start(plan.producers(), work);
    threads.await();
  }

  private EventLoad load(QueueNodeCluster cluster, int events) {
    phases++;
    return new EventLoad(cluster, bodies, clock, "backlog" + phases, plan.batch(), events);
  }

  /**
   * What is measured.
   *
   * @param events waiting at the end
   * @param batch events per request
   * @param producers number of concurrent producers
   * @param shape of the queue node
   */
  public record Plan(int events, int batch, int producers, ClusterShape shape) {}

  /**
   * A queue node with a backlog; the components are the fields of {@code --json}.
   *
   * @param events waiting
   * @param payload bytes of data per event
   * @param batch events per request
   * @param maxHeapMegabytes the node's maximum heap
   * @param liveHeapMegabytes live objects after a collection, with all events waiting
   * @param emptyHeapMegabytes the same before the first event
   * @param emptyPutPerSecond events put per second into the empty node
   * @param fullPutPerSecond events put per second on top of the backlog
   * @param ratio full to empty
   */
  public record Result(
      long events,
      int payload,
      int batch,
      long maxHeapMegabytes,
      long liveHeapMegabytes,
      long emptyHeapMegabytes,
      long emptyPutPerSecond,
      long fullPutPerSecond,
      double ratio) {}
}
