package io.millrace.manager.task;

import io.millrace.api.ErrorCode;
import io.millrace.api.MessageText;
import io.millrace.api.MillraceException;
import io.millrace.api.job.AttemptId;
import io.millrace.api.task.ChunkHandout;
import io.millrace.api.task.ChunkHandout.ChunkReport;
import io.millrace.api.task.RunState;
import io.millrace.api.task.TaskDefinition;
import io.millrace.manager.job.JobLedger;
import io.millrace.manager.task.ChunkDao.LeasedChunk;
import io.millrace.manager.task.TaskWorkerDao.WorkerRole;
import io.millrace.manager.task.TaskWorkerDao.WorkerState;
import io.millrace.platform.database.Database;
import io.millrace.platform.database.DatabaseTime;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jdbi.v3.core.Handle;

/**
 * Hands the chunks of a run to programs that ask for them (H-020). A chunk is leased: the run does
 * not end before it is reported, and a chunk whose lease expires is handed out again. Thread-safe;
 * blocks on the database.
 */
public final class ChunkService {
  private final Database database;
  private final DatabaseTime time;
  private final TaskDefinitions definitions;
  private final JobLedger ledger;
  private final RunChunks chunks;

  public ChunkService(Database database, TaskDefinitions definitions, JobLedger ledger) {
    this.database = database;
    this.ledger = ledger;
    this.time = new DatabaseTime(database.dialect());
    this.definitions = definitions;
    this.chunks = new RunChunks(time);
  }

  /**
   * Leases the next chunk of a run; empty when none is left now. A chunk that another program holds
   * may become available again: then the run's own workers do it.
   *
   * @param worker the attempt that asks; empty for a person or a program of one
   * @throws MillraceException UNKNOWN_RUN; STALE_ATTEMPT when the attempt is not a current one of a
   *     worker of the run; CONFLICT when the run is not running or has no chunks
   */
  public Optional<ChunkHandout> lease(long id, Optional<AttemptId> worker, Duration lease) {
    return inRunning(
        id,
        worker,
        (handle, run, task) -> {
          RunRow now = chunks.reclaim(handle, run, task);
          return next(handle, now, task, lease).map(chunk -> handout(handle, now.id(), chunk));
        });
  }

  /**
   * Hands out the next chunk of a run at most once, without a lease: it counts as done.
   *
   * @throws MillraceException as {@link #lease}
   */
  public Optional<ChunkHandout> assign(long id, Optional<AttemptId> worker) {
    return inRunning(
        id,
        worker,
        (handle, run, task) -> {
          RunRow now = chunks.reclaim(handle, run, task);
          Optional<LeasedChunk> chunk = next(handle, now, task, Duration.ZERO);
          chunk.ifPresent(
              one ->
                  RunChunks.assigned(
                      handle,
                      now,
                      ChunkDao.findLeased(handle, id, one.position(), one.token()).orElseThrow()));
          return chunk
              .map(one -> handout(handle, id, one))
              .map(
                  one ->
                      new ChunkHandout(
                          one.position(), one.chunk(), one.left(), null, null, one.attempt()));
        });
  }

  private Optional<LeasedChunk> next(
      Handle handle, RunRow run, TaskDefinition task, Duration lease) {
    Instant now = time.now(handle);
    String token = UUID.randomUUID().toString();
    Instant until = now.plus(lease);
    Optional<LeasedChunk> pending = ChunkDao.firstPending(handle, run.id());
    if (pending.isPresent()) {
      LeasedChunk chunk = leased(pending.get(), token, now, until);
      ChunkDao.lease(handle, chunk);
      return Optional.of(chunk);
    }
    Optional<LeasedChunk> fresh =
        RunChunks.next(handle, run, task, 1).stream()
            .findFirst()
            .map(
                text ->
                    new LeasedChunk(
                        0, WorkerState.LENT, run.nextChunk(), text, token, now, until, 1));
    fresh.ifPresent(
        chunk -> {
          ChunkDao.insert(handle, run.id(), chunk);
          RunDao.advance(handle, run.id(), run.nextChunk() + 1, run.total());
        });
    return fresh;
  }

  private static LeasedChunk leased(LeasedChunk chunk, String token, Instant now, Instant until) {
    return new LeasedChunk(
        chunk.id(),
        WorkerState.LENT,
        chunk.position(),
        chunk.chunk(),
        token,
        now,
        until,
        chunk.tries() + 1);
  }

  private static ChunkHandout handout(Handle handle, long run, LeasedChunk chunk) {
    RunRow after = RunDao.find(handle, run).orElseThrow();
    int pending = TaskWorkerDao.count(handle, run, WorkerRole.WORK, WorkerState.PENDING);
    return new ChunkHandout(
        chunk.position(),
        chunk.chunk(),
        after.total() - after.nextChunk() + pending,
        chunk.token(),
        chunk.until(),
        chunk.tries());
  }

  /**
   * Records that a chunk is done, also after its lease has expired, unless it was leased again.
   *
   * @param worker as for {@link #lease}
   * @throws MillraceException UNKNOWN_RUN; STALE_ATTEMPT as for {@link #lease}; STALE_RECEIPT when
   *     the token is no longer valid
   */
  public void done(long id, Optional<AttemptId> worker, long position, ChunkReport report) {
    report(
        id,
        worker,
        position,
        report,
        (handle, run, chunk) -> RunChunks.done(handle, run, chunk, time.now(handle)));
  }

  /**
   * Records that a chunk failed: it is handed out again, as often as the task's retries allow, and
   * then fails the run.
   *
   * @throws MillraceException as {@link #done}
   */
  public void failed(long id, Optional<AttemptId> worker, long position, ChunkReport report) {
    String reason = report.reason() == null ? "reported as failed" : report.reason();
    report(
        id,
        worker,
        position,
        report,
        (handle, run, chunk) -> {
          // A chunk whose lease has expired is done again anyway.
          if (chunk.state() == WorkerState.LENT) {
            RunChunks.failed(handle, run, task(run), chunk, reason);
          }
        });
  }

  private interface HandoutStep {
    Optional<ChunkHandout> apply(Handle handle, RunRow run, TaskDefinition task);
  }

  /** Applies the step to the locked run; refuses one that is not running or has no chunks. */
  private Optional<ChunkHandout> inRunning(long id, Optional<AttemptId> worker, HandoutStep step) {
    return database.transaction(
        handle -> {
          RunRow run = lock(handle, id, worker);
          TaskDefinition task = task(run);
          boolean open = run.state() == RunState.RUNNING && run.stopAs() == null && run.listed();
          if (!open || task.chunks() == null) {
            throw new MillraceException(
                ErrorCode.CONFLICT,
                "run %d of %s is %s%s; chunks are handed out while a run is running and its chunks are known"
                    .formatted(
                        id,
                        run.task(),
                        run.stopAs() == null ? MessageText.of(run.state()) : "being stopped",
                        task.chunks() == null ? " and has no chunks" : ""));
          }
          return step.apply(handle, run, task);
        });
  }

  private interface ReportStep {
    void apply(Handle handle, RunRow run, LeasedChunk chunk);
  }

  private void report(
      long id, Optional<AttemptId> worker, long position, ChunkReport report, ReportStep step) {
    database.transaction(
        handle -> {
          RunRow run = lock(handle, id, worker);
          LeasedChunk chunk =
              ChunkDao.findLeased(handle, id, position, report.token())
                  .orElseThrow(() -> stale(run, position));
          step.apply(handle, run, chunk);
          return null;
        });
  }

  /** Locks the run; refuses an attempt that does not work for it, or no longer. */
  private RunRow lock(Handle handle, long id, Optional<AttemptId> worker) {
    RunRow run = RunDao.lock(handle, id).orElseThrow(() -> RunService.unknown(id));
    worker
        .filter(attempt -> !worksFor(handle, run, attempt))
        .ifPresent(
            attempt -> {
              throw new MillraceException(
                  ErrorCode.STALE_ATTEMPT,
                  "attempt %s is not a running one of a worker of run %d of %s; nothing was done, stop it"
                      .formatted(attempt, id, run.task()));
            });
    return run;
  }

  private boolean worksFor(Handle handle, RunRow run, AttemptId attempt) {
    Long works = TaskWorkerDao.runsOf(handle, List.of(attempt.job())).get(attempt.job());
    return works != null && works == run.id() && ledger.lockCurrent(handle, attempt);
  }

  private static MillraceException stale(RunRow run, long position) {
    return new MillraceException(
        ErrorCode.STALE_RECEIPT,
        """
        the token for chunk %d of run %d of %s is no longer valid: the chunk was reported before, or \
        its lease expired and another program has leased it; take another chunk, with a longer lease"""
            .formatted(position, run.id(), run.task()));
  }

  private TaskDefinition task(RunRow run) {
    return definitions.version(run.task(), run.version()).definition();
  }
}
