package io.millrace.tests.drill.cluster;

import java.time.Duration;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/**
 * Lets faults happen at their times, but not before they hit work in progress if some comes soon,
 * and mends them. Thread-safe; its threads end with {@link #close}.
 */
public final class FaultInjector implements AutoCloseable {
  private static final int LONGEST_MINUTES = 15;
  private static final Duration PATIENCE = Duration.ofSeconds(4);

  private final DrillCluster cluster;
  // By faults that go on; guarded by this.
  private final Set<String> touched = new HashSet<>();
  private final ExecutorService threads = Executors.newCachedThreadPool();

  public FaultInjector(DrillCluster cluster) {
    this.cluster = cluster;
  }

  /** Blocks until every fault has come and gone; gives their counts. */
  public FaultTally play(List<PlannedFault> plan) throws Exception {
    FaultTally tally = new FaultTally();
    begin(plan, tally).get(LONGEST_MINUTES, TimeUnit.MINUTES);
    return tally;
  }

  /** Completes when every fault has come and gone; each is counted in the tally when it has. */
  public CompletableFuture<Void> begin(List<PlannedFault> plan, FaultTally tally) {
    return CompletableFuture.allOf(
        plan.stream().map(one -> play(one, tally)).toArray(CompletableFuture[]::new));
  }

  private CompletableFuture<Void> play(PlannedFault planned, FaultTally tally) {
    Fault fault = planned.fault();
    return CompletableFuture.supplyAsync(() -> begin(fault), after(planned.after()))
        .thenAcceptAsync(begun -> end(fault, begun, tally), after(planned.lasts()));
  }

  /**
   * A fault that goes on.
   *
   * @param work what it hit, as far as that is known at its begin
   */
  private record Begun(Optional<String> work, FaultTimeline.Open open) {}

  private Begun begin(Fault fault) {
    take(fault);
    try {
      Optional<String> work =
          fault.disturbs().isEmpty()
              ? Optional.empty()
              : cluster.census().await(fault.disturbs(), PATIENCE);
      FaultTimeline.Open open = cluster.timeline().begin(fault.toString(), fault.targets());
      try {
        fault.begin(cluster);
        open.hit(fault.targets());
      } catch (RuntimeException | Error e) {
        open.end();
        throw e;
      }
      return new Begun(work, open);
    } catch (RuntimeException | Error e) {
      free(fault);
      throw e;
    }
  }

  private void end(Fault fault, Begun begun, FaultTally tally) {
    try {
      fault.end(cluster);
      begun.open().end();
      tally.add(fault.cell(), begun.work().or(fault::hit).isPresent());
    } finally {
      free(fault);
    }
  }

  /**
   * Waits until no other fault touches the same: times that are planned apart may come to overlap
   * on a busy machine, and a server that is killed while its disk is full does not come back.
   */
  private synchronized void take(Fault fault) {
    try {
      while (!Collections.disjoint(touched, fault.touches())) {
        wait();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted before " + fault, e);
    }
    touched.addAll(fault.touches());
  }

  private synchronized void free(Fault fault) {
    touched.removeAll(fault.touches());
    notifyAll();
  }

  private Executor after(Duration delay) {
    return CompletableFuture.delayedExecutor(delay.toMillis(), TimeUnit.MILLISECONDS, threads);
  }

  @Override
  public void close() {
    threads.shutdownNow();
  }
}
