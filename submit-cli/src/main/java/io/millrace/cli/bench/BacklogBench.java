package io.millrace.cli.bench;

import io.millrace.api.Json;
import io.millrace.cli.invocation.Invocation;
import io.millrace.cli.measurement.Crew;
import io.millrace.cli.measurement.Rate;
import io.millrace.cli.output.Column;
import io.millrace.cli.output.Table;
import io.millrace.platform.clock.Clock;
import java.io.IOException;

/** Fills a node and prints what that costs. */
final class BacklogBench {
  private static final int PARTS = 10;
  private static final int WARM_UPS = 3;

  /**
   * What is measured.
   *
   * @param events waiting in the end
   * @param batch events in a request
   * @param producers at once
   * @param shape of the node
   */
  record Plan(int events, int batch, int producers, NodeShape shape) {}

  private final Invocation invocation;
  private final Plan plan;
  private final Clock clock;
  private final Bodies bodies;
  private int phases;

  BacklogBench(Invocation invocation, Plan plan) {
    this.invocation = invocation;
    this.plan = plan;
    this.clock = invocation.clock();
    this.bodies = new Bodies(plan.shape().payload());
  }

  void run() throws IOException, InterruptedException {
    System.setProperty("http.maxConnections", String.valueOf(plan.producers()));
    try (BenchCluster cluster = BenchCluster.start(plan.shape(), clock)) {
      int part = plan.events() / PARTS;
      for (int i = 0; i < WARM_UPS; i++) {
        put(cluster, part);
        drain(cluster, part);
      }
      long emptyHeap = cluster.process(0).liveHeap();
      long empty = put(cluster, part);
      drain(cluster, part);
      for (int i = 0; i < PARTS; i++) {
        put(cluster, part);
        invocation.terminal().note((i + 1) * part + " events wait");
      }
      long heap = cluster.process(0).liveHeap();
      long full = put(cluster, part);
      print(result(cluster, heap, emptyHeap, empty, full));
    }
  }

  private BacklogResult result(
      BenchCluster cluster, long heap, long emptyHeap, long empty, long full) {
    return new BacklogResult(
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

  private long put(BenchCluster cluster, int events) throws InterruptedException {
    Load load = load(cluster, events);
    Crew crew = new Crew("backlog");
    return Math.round(
        Rate.perSecond(
            clock,
            events,
            () -> {
              crew.start(plan.producers(), number -> load.produce(number, null));
              crew.await();
            }));
  }

  /** Takes away what was put before, whatever its numbers. */
  private void drain(BenchCluster cluster, int events) throws InterruptedException {
    Load load = load(cluster, events);
    Crew crew = new Crew("backlog");
    crew.start(plan.producers(), number -> load.consume(number, null));
    crew.await();
  }

  private Load load(BenchCluster cluster, int events) {
    phases++;
    return new Load(cluster, bodies, clock, "backlog" + phases, plan.batch(), events);
  }

  private void print(BacklogResult result) {
    if (invocation.json()) {
      invocation.terminal().line(Json.write(result));
      return;
    }
    Table table =
        new Table(
            Column.right("WAITING"),
            Column.right("HEAP MAX MB"),
            Column.right("LIVE MB"),
            Column.right("LIVE MB EMPTY"),
            Column.right("PUT/S EMPTY"),
            Column.right("PUT/S FULL"),
            Column.right("RATIO"));
    table.row(
        result.events(),
        result.maxHeapMegabytes(),
        result.liveHeapMegabytes(),
        result.emptyHeapMegabytes(),
        result.emptyPutPerSecond(),
        result.fullPutPerSecond(),
        String.valueOf(result.ratio()));
    invocation.print(table, "nothing was measured");
  }
}
