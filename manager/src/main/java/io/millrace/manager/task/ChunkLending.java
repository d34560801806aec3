package io.millrace.manager.task;

import io.millrace.api.job.RetryPolicy;
import io.millrace.api.task.TaskDefinition;
import io.millrace.manager.task.LentChunkDao.LentChunk;
import io.millrace.manager.task.SettleRule.Settled;
import io.millrace.manager.task.TaskWorkerDao.WorkerState;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jdbi.v3.core.Handle;

/**
 * What becomes of chunks that programs have, in the caller's transaction, which holds the run's
 * lock. Thread-safe.
 */
final class ChunkLending {
  /** Further tries unless the job says otherwise: a program that dies is no rare thing. */
  private static final int USUAL_RETRIES = 2;

  private final TaskStores stores;

  ChunkLending(TaskStores stores) {
    this.stores = stores;
  }

  /** Takes back what was not reported in time, and all of a run that is being stopped. */
  RunRow takeBack(Handle handle, RunRow run, TaskDefinition task) {
    List<LentChunk> lent = stores.lent().lent(handle, run.id());
    if (lent.isEmpty()) {
      return run;
    }
    Instant now = stores.time().now(handle);
    RunRow after = run;
    for (LentChunk chunk : lent) {
      if (run.stopAs() != null) {
        stores.lent().takeBack(handle, chunk.id(), WorkerState.PENDING, null);
      } else if (!chunk.until().isAfter(now)) {
        String why = "nobody reported it done by " + chunk.until();
        after = failed(handle, after, task, chunk, why);
      }
    }
    return after;
  }

  /** A chunk was not done: it is given out again, or fails the run. */
  RunRow failed(Handle handle, RunRow run, TaskDefinition task, LentChunk chunk, String why) {
    if (chunk.tries() < tries(task)) {
      stores.lent().takeBack(handle, chunk.id(), WorkerState.PENDING, why);
      return run;
    }
    String said = "given up after " + chunk.tries() + " tries: " + why;
    stores.lent().takeBack(handle, chunk.id(), WorkerState.FAILED, said);
    return count(handle, run, new Settled(0, 0, 1, run.failedInRow() + 1, 0, 0));
  }

  /** A chunk was done. */
  void done(Handle handle, RunRow run, LentChunk chunk, Instant now) {
    stores.workers().delete(handle, List.of(chunk.id()));
    long millis = Math.max(0, Duration.between(chunk.lentAt(), now).toMillis());
    count(handle, run, new Settled(1, 0, 0, 0, millis, 0));
  }

  /** A chunk was given away for good: it counts as done. */
  void gone(Handle handle, RunRow run) {
    count(handle, run, new Settled(1, 0, 0, run.failedInRow(), 0, 0));
  }

  private RunRow count(Handle handle, RunRow run, Settled settled) {
    stores.runs().count(handle, run.id(), settled);
    return settled.to(run);
  }

  private static int tries(TaskDefinition task) {
    RetryPolicy retry = task.job().retry();
    return 1 + (retry.equals(RetryPolicy.NONE) ? USUAL_RETRIES : retry.max());
  }
}
