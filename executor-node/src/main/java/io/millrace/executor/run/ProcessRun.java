package io.millrace.executor.run;

import io.millrace.api.job.AttemptId;
import io.millrace.executor.batch.WorkerEvents;
import io.millrace.executor.supervision.SupervisedProcess;
import io.millrace.executor.supervision.SupervisedProcess.StopReason;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** An attempt that is, or will be, a process. */
final class ProcessRun implements AttemptRun {
  private final AttemptId attempt;
  private final CompletableFuture<Instant> started = new CompletableFuture<>();
  private final CompletableFuture<CompletedRun> result = new CompletableFuture<>();
  // Guarded by this.
  private SupervisedProcess process;
  private StopReason stop;
  private WorkerEvents events;

  ProcessRun(AttemptId attempt) {
    this.attempt = attempt;
  }

  @Override
  public AttemptId attempt() {
    return attempt;
  }

  @Override
  public CompletableFuture<Instant> started() {
    return started;
  }

  @Override
  public CompletableFuture<CompletedRun> result() {
    return result;
  }

  @Override
  public boolean outlivesAgent() {
    return true;
  }

  @Override
  public void stop(StopReason reason) {
    Optional<SupervisedProcess> running;
    Optional<WorkerEvents> fed;
    synchronized (this) {
      stop = stop == null ? reason : stop;
      running = Optional.ofNullable(process);
      fed = Optional.ofNullable(events);
    }
    fed.ifPresent(WorkerEvents::stopping);
    running.ifPresent(one -> one.stop(reason));
  }

  /** The reason of its stop, if it was stopped. */
  synchronized Optional<StopReason> stopAsked() {
    return Optional.ofNullable(stop);
  }

  /** Sets the events that the process gets, which are told of its stop. */
  void feeds(WorkerEvents given) {
    boolean asked;
    synchronized (this) {
      events = given;
      asked = stop != null;
    }
    if (asked) {
      given.stopping();
    }
  }

  /** Sets the process; if the attempt was already stopped, the process is stopped now. */
  void runs(SupervisedProcess running) {
    Optional<StopReason> asked;
    synchronized (this) {
      process = running;
      asked = Optional.ofNullable(stop);
    }
    if (running.pid().isPresent()) {
      started.complete(running.startedAt());
    }
    asked.ifPresent(running::stop);
  }
}
