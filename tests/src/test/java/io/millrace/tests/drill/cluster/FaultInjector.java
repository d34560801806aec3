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
 * Injects faults at their planned times, waiting briefly for work in progress to hit, and removes
 * them. Thread-safe; its threads end with {@link #close}.
 */
public final class FaultInjector implements AutoCloseable {
  private static final int LONGEST_MINUTES = 15;
  private static final Duration TIMEOUT = Duration.ofSeconds(4);

  private final DrillCluster cluster;
  // The targets of faults in effect; guarded by this.
  private final Set<String> touched = new HashSet<>();
  private final ExecutorService threads = Executors.newCachedThreadPool();

  public FaultInjector(DrillCluster cluster) {
    this.cluster = cluster;
  }

  /** Blocks until every fault was injected and removed; returns their counts. */
  public FaultTally play(List<PlannedFault> plan) throws Exception {
    FaultTally tally = new FaultTally();
    begin(plan, tally).get(LONGEST_MINUTES, TimeUnit.MINUTES);
    return tally;
  }

  /** Completes when every fault was injected and removed; each is then counted in the tally. */
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
   * A fault in effect.
   *
   * @param work the work that it hit, as far as known at its start
   */
  private record Begun(Optional<String> work, FaultTimeline.Open open) {}

  private Begun begin(Fault fault) {
    take(fault);
    try {
      Optional<String> work =
          fault.disturbs().isEmpty()
              ? Optional.empty()
              : cluster.workInProgress().await(fault.disturbs(), TIMEOUT);
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
   * Waits until no other fault affects the same target: planned times may overlap on a busy
   * machine, and a server killed while its disk is full does not restart.
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
