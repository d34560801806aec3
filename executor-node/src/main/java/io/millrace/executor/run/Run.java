package io.millrace.executor.run;

import io.millrace.api.job.AttemptId;
import io.millrace.executor.supervision.SupervisedProcess.StopReason;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;

/** One attempt in the hands of this node. Thread-safe; no method blocks. */
public sealed interface Run permits ProcessRun, ProgramRun {
  /** The attempt. */
  AttemptId attempt();

  /** Completed with the time of its start once it runs; never, when nothing was started. */
  CompletableFuture<Instant> started();

  /**
   * Completed when everything about the attempt is done here, its events included; never
   * exceptionally. Dependents may run on any thread and must not block for long.
   */
  CompletableFuture<CompletedRun> result();

  /** Whether it goes on when this agent is gone, so that the next one can take it over. */
  boolean outlivesAgent();

  /** Asks it to end, and makes it after its grace; the first reason counts. */
  void stop(StopReason reason);
}
