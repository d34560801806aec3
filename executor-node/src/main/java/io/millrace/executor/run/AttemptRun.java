package io.millrace.executor.run;

import io.millrace.api.execution.RunningCommand.StopReason;
import io.millrace.api.job.AttemptId;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;

/** An attempt that this node has accepted. Thread-safe; no method blocks. */
public sealed interface AttemptRun permits ProcessRun, ProgramRun {
  /** The attempt. */
  AttemptId attempt();

  /** Completed with the time of its start once it runs; never if nothing was started. */
  CompletableFuture<Instant> started();

  /**
   * Completed when the node is done with the attempt, including its events; never exceptionally.
   * Dependents may run on any thread and must not block for long.
   */
  CompletableFuture<CompletedRun> result();

  /** Whether it survives this agent, so that the next one can take it over. */
  boolean outlivesAgent();

  /** Stops it, by force after its grace; the first reason counts. */
  void stop(StopReason reason);
}
