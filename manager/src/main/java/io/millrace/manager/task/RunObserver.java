package io.millrace.manager.task;

import io.millrace.api.task.RunState;
import java.time.Instant;
import org.jdbi.v3.core.Handle;

/**
 * Is called in the transactions that start and end runs of tasks; an exception fails the
 * transaction. Implementations are thread-safe.
 */
public interface RunObserver {
  /** Ignores everything. */
  RunObserver NONE = new RunObserver() {};

  /** A run was started; as it was before. */
  default void started(Handle handle, RunRow run, Instant now) {}

  /** A run ended; as it was before. */
  default void ended(Handle handle, RunRow run, RunState state, Instant now) {}

  /** Planned times of a task passed without a run, except in a pause. */
  default void passed(Handle handle, String task, RunState state, long times) {}
}
