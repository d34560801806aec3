package io.millrace.tests.drill.cluster;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/** Lets faults happen at their times, and mends them. */
public final class Nemesis implements AutoCloseable {
  private static final int LONGEST_MINUTES = 3;

  private final DrillCluster cluster;
  private final ExecutorService threads = Executors.newCachedThreadPool();

  public Nemesis(DrillCluster cluster) {
    this.cluster = cluster;
  }

  /** Blocks until every fault has come and gone. */
  public void play(List<PlannedFault> plan) throws Exception {
    begin(plan).get(LONGEST_MINUTES, TimeUnit.MINUTES);
  }

  /** Completes when every fault has come and gone. */
  public CompletableFuture<Void> begin(List<PlannedFault> plan) {
    return CompletableFuture.allOf(plan.stream().map(this::play).toArray(CompletableFuture[]::new));
  }

  private CompletableFuture<Void> play(PlannedFault planned) {
    Fault fault = planned.fault();
    return CompletableFuture.supplyAsync(() -> begin(fault), after(planned.after()))
        .thenAcceptAsync(open -> end(fault, open), after(planned.lasts()));
  }

  private FaultTimeline.Open begin(Fault fault) {
    FaultTimeline.Open open = cluster.timeline().begin(fault.toString(), fault.targets());
    fault.begin(cluster);
    return open;
  }

  private void end(Fault fault, FaultTimeline.Open open) {
    fault.end(cluster);
    open.end();
  }

  private Executor after(Duration delay) {
    return CompletableFuture.delayedExecutor(delay.toMillis(), TimeUnit.MILLISECONDS, threads);
  }

  @Override
  public void close() {
    threads.shutdownNow();
  }
}
