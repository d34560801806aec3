package io.millrace.executor.supervision;

import io.millrace.api.job.AttemptId;
import java.io.OutputStream;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;

/** One attempt that runs, or ran, under a {@link Supervisor}. Thread-safe; no method blocks. */
public interface SupervisedProcess {

  /** The attempt. */
  AttemptId id();

  /** Process id of the supervising shell, also the id of its group and session; empty if none. */
  OptionalLong pid();

  /** When it was started, by the wall clock of this host. */
  Instant startedAt();

  /**
   * Completed when the attempt has ended, never exceptionally, and never once the supervisor is
   * closed. Dependents run on the supervisor's only thread: they must not block, use the {@code
   * …Async} forms.
   */
  CompletableFuture<ProcessExit> ending();

  /**
   * Sends TERM to the whole group and, after the launch's grace, KILL to all remaining processes.
   * Only the first call has an effect, and none on an attempt that has ended.
   */
  void stop(StopReason reason);

  /** Like {@link #stop}, because of a time limit that the supervisor does not watch itself. */
  void timeOut(StopReason reason);

  /**
   * Its standard input, if it was started by this supervisor and has a pipe; writing blocks as long
   * as it does not read.
   */
  Optional<OutputStream> input();

  /**
   * Why an attempt is stopped.
   *
   * @param text human-readable, such as {@code cancelled by alice}; shown as the ending's reason
   */
  record StopReason(String text) {}
}
