package io.millrace.executor.batch;

import io.millrace.api.execution.RunningCommand;
import io.millrace.executor.batch.LeasedBatch.BatchClosing;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** The events in the hands of one worker that this node leases for it. Thread-safe. */
public sealed interface WorkerEvents permits LeasedBatch, EventStream {
  /** The number of events that the worker got so far. */
  int size();

  /** Id of the event if it is the only one that its end is about. */
  Optional<String> alone();

  /** Its process was started by this agent. */
  void started(RunningCommand process);

  /** Its process was started by an earlier agent. */
  void recovered(RunningCommand process);

  /** It is about to be stopped and gets no further events. */
  void stopping();

  /**
   * Ends the leases and reports to the queue node, repeatedly while it cannot be reached and the
   * lease has not expired.
   *
   * @param verdict on what is not answered
   * @return completed on a thread that may block, never exceptionally
   */
  CompletableFuture<BatchClosing> close(BatchVerdict verdict);
}
