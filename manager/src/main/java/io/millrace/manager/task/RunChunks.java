package io.millrace.manager.task;

import io.millrace.api.job.RetryPolicy;
import io.millrace.api.task.TaskDefinition;
import io.millrace.manager.task.ChunkDao.LeasedChunk;
import io.millrace.manager.task.SettleRule.RunProgress;
import io.millrace.manager.task.TaskWorkerDao.WorkerState;
import io.millrace.platform.database.DatabaseTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jdbi.v3.core.Handle;

/**
 * The chunks of a run: those not started yet, and what becomes of those that programs have leased.
 * Runs in the caller's transaction, which holds the run's lock. Thread-safe.
 */
final class RunChunks {
  /** Further tries unless the job sets its own: programs that lease chunks die now and then. */
  private static final int DEFAULT_RETRIES = 2;

  private final DatabaseTime time;

  RunChunks(DatabaseTime time) {
    this.time = time;
  }

  /** The chunks after the cursor; nulls for work without chunks. */
  static List<String> next(Handle handle, RunRow run, TaskDefinition task, int limit) {
    int count = (int) Math.min(limit, run.total() - run.nextChunk());
    if (count <= 0) {
      return List.of();
    }
    if (task.partition() != null || (task.chunks() != null && task.chunks().command() != null)) {
      return ChunkDao.from(handle, run.id(), run.nextChunk(), count);
    }
    if (task.chunks() != null) {
      return task.chunks().listed(run.nextChunk(), count);
    }
    List<String> none = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      none.add(null);
    }
    return none;
  }

  /**
   * Takes back chunks whose lease has expired, and all chunks of a run that is being stopped.
   *
   * @return the run with the failures that this added
   */
  RunRow reclaim(Handle handle, RunRow run, TaskDefinition task) {
    List<LeasedChunk> leased = ChunkDao.leased(handle, run.id());
    if (leased.isEmpty()) {
      return run;
    }
    Instant now = time.now(handle);
    RunRow after = run;
    for (LeasedChunk chunk : leased) {
      if (run.stopAs() != null) {
        ChunkDao.release(handle, chunk.id(), WorkerState.PENDING, null);
      } else if (!chunk.until().isAfter(now)) {
        after = failed(handle, after, task, chunk, "not reported done by " + chunk.until());
      }
    }
    return after;
  }

  /** A chunk was not done: it is handed out again, or fails the run. */
  static RunRow failed(
      Handle handle, RunRow run, TaskDefinition task, LeasedChunk chunk, String reason) {
    if (chunk.tries() < tries(task)) {
      ChunkDao.release(handle, chunk.id(), WorkerState.PENDING, reason);
      return run;
    }
    String message = "failed after %d tries: %s".formatted(chunk.tries(), reason);
    ChunkDao.release(handle, chunk.id(), WorkerState.FAILED, message);
    return count(handle, run, new RunProgress(0, 0, 1, run.failedInRow() + 1, 0, 0));
  }

  /** A leased chunk was done. */
  static void done(Handle handle, RunRow run, LeasedChunk chunk, Instant now) {
    TaskWorkerDao.delete(handle, List.of(chunk.id()));
    long millis = Math.max(0, Duration.between(chunk.leasedAt(), now).toMillis());
    count(handle, run, new RunProgress(1, 0, 0, 0, millis, 0));
  }

  /** A chunk was handed out without a lease: it counts as done. */
  static void assigned(Handle handle, RunRow run, LeasedChunk chunk) {
    TaskWorkerDao.delete(handle, List.of(chunk.id()));
    count(handle, run, new RunProgress(1, 0, 0, run.failedInRow(), 0, 0));
  }

  private static RunRow count(Handle handle, RunRow run, RunProgress progress) {
    RunDao.count(handle, run.id(), progress);
    return progress.addedTo(run);
  }

  private static int tries(TaskDefinition task) {
    RetryPolicy retry = task.job().retry();
    return 1 + (retry.equals(RetryPolicy.NONE) ? DEFAULT_RETRIES : retry.max());
  }
}
