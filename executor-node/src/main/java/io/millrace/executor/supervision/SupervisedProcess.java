package io.millrace.executor.supervision;

import io.millrace.api.execution.RunningCommand;
import java.time.Instant;
import java.util.OptionalLong;

/**
 * One attempt that runs, or ran, under a {@link Supervisor}. Thread-safe; no method blocks.
 *
 * <p>Dependents of its {@linkplain #ending() end} run on the supervisor's only thread: they must
 * not block, use the {@code …Async} forms.
 */
public interface SupervisedProcess extends RunningCommand {
  /** Process id of the supervising shell, also the id of its group and session; empty if none. */
  OptionalLong pid();

  /** When it was started, by the wall clock of this host. */
  Instant startedAt();
}
