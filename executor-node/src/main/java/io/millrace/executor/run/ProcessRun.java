package io.millrace.executor.run;

import io.millrace.api.execution.RunningCommand;
import io.millrace.api.execution.RunningCommand.StopReason;
import io.millrace.api.job.AttemptId;
import io.millrace.executor.batch.WorkerEvents;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** An attempt that is, or will be, a command of the node's backend. */
final class ProcessRun implements AttemptRun {
  private final AttemptId attempt;
  private final boolean outlivesAgent;
  private final CompletableFuture<Instant> started = new CompletableFuture<>();
  private final CompletableFuture<CompletedRun> result = new CompletableFuture<>();
  // Guarded by this.
  private RunningCommand process;
  private StopReason stop;
  private WorkerEvents events;

  ProcessRun(AttemptId attempt, boolean outlivesAgent) {
    this.attempt = attempt;
    this.outlivesAgent = outlivesAgent;
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
    return outlivesAgent;
  }

  @Override
  public void stop(StopReason reason) {
    Optional<RunningCommand> running;
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
  @SuppressWarnings("FutureReturnValueIgnored") // neither future fails
  void runs(RunningCommand running) {
    Optional<StopReason> asked;
    synchronized (this) {
      process = running;
      asked = Optional.ofNullable(stop);
    }
    running.started().thenAccept(started::complete);
    asked.ifPresent(running::stop);
  }
}
