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
    return CompletableFuture.runAsync(() -> fault.begin(cluster), after(planned.after()))
        .thenRunAsync(() -> fault.end(cluster), after(planned.lasts()));
  }

  private Executor after(Duration delay) {
    return CompletableFuture.delayedExecutor(delay.toMillis(), TimeUnit.MILLISECONDS, threads);
  }

  @Override
  public void close() {
    threads.shutdownNow();
  }
}
