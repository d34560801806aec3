package io.millrace.cli.bench;

import io.millrace.api.Json;
import io.millrace.cli.bench.BenchClient.Bodies;
import io.millrace.cli.bench.NodeOptions.NodeShape;
import io.millrace.cli.invocation.ExitCode;
import io.millrace.cli.invocation.Invocation;
import io.millrace.cli.output.Table;
import io.millrace.cli.output.Table.Column;
import io.millrace.platform.clock.Clock;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code millrace bench backlog}. */
@Command(
    name = "backlog",
    description = "Heap and put rate of a node that holds many waiting events.",
    footer = {
      "",
      "Puts the events without a consumer. The rate of the last tenth is compared with that of the",
      "first; the heap is what the node's live objects take after a collection.",
      "",
      "Example:",
      "  millrace bench backlog --events 5000000 --heap 512m"
    })
final class BacklogBenchCommand implements Callable<Integer> {
  private final Invocation invocation;

  @Mixin private NodeOptions node;

  @Option(names = "--events", defaultValue = "5000000", description = "Waiting events.")
  private int events;

  @Option(names = "--batch", defaultValue = "100", description = "Events in a request.")
  private int batch;

  @Option(names = "--producers", defaultValue = "4", description = "Producers at once.")
  private int producers;

  BacklogBenchCommand(Invocation invocation) {
    this.invocation = invocation;
  }

  @Override
  public Integer call() throws Exception {
    NodeOptions.require(events >= 1_000, "--events is at least 1000");
    NodeOptions.require(batch >= 1 && batch <= 10_000, "--batch is 1 to 10000");
    NodeOptions.require(producers >= 1, "--producers is at least 1");
    BacklogBench.Plan plan =
        new BacklogBench.Plan(events, batch, producers, new NodeShape(1, node));
    new BacklogBench(invocation, plan).run();
    return ExitCode.OK.code();
  }

  /** Fills a node and prints what that costs. */
  private static final class BacklogBench {
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
          invocation.note((i + 1) * part + " events wait");
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
      WorkerThreads crew = new WorkerThreads("backlog");
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
      WorkerThreads crew = new WorkerThreads("backlog");
      crew.start(plan.producers(), number -> load.consume(number, null));
      crew.await();
    }

    private Load load(BenchCluster cluster, int events) {
      phases++;
      return new Load(cluster, bodies, clock, "backlog" + phases, plan.batch(), events);
    }

    private void print(BacklogResult result) {
      if (invocation.json()) {
        invocation.line(Json.write(result));
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

    /**
     * A node with a backlog; the fields are those of {@code --json}.
     *
     * @param events waiting
     * @param payload bytes of data of each
     * @param batch events in a request
     * @param maxHeapMegabytes what the node may take
     * @param liveHeapMegabytes what its objects take after a collection, with all events waiting
     * @param emptyHeapMegabytes the same before the first event
     * @param emptyPutPerSecond events put per second into the empty node
     * @param fullPutPerSecond events put per second on top of the backlog
     * @param ratio full to empty
     */
    private record BacklogResult(
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
}
