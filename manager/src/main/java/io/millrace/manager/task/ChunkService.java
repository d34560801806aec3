package io.millrace.manager.task;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.task.ChunkHandout;
import io.millrace.api.task.ChunkReport;
import io.millrace.api.task.RunState;
import io.millrace.api.task.TaskDefinition;
import io.millrace.manager.task.LentChunkDao.LentChunk;
import io.millrace.manager.task.TaskWorkerDao.WorkerRole;
import io.millrace.manager.task.TaskWorkerDao.WorkerState;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jdbi.v3.core.Handle;

/**
 * Gives the chunks of a run to programs that ask for them (H-020). A chunk is lent: the run does
 * not end before it is reported, and what is not reported in time is given out again. Thread-safe;
 * blocks on the database.
 */
public final class ChunkService {
  private final TaskStores stores;
  private final TaskDefinitions definitions;
  private final ChunkLending lending;
  private final RunChunks chunks;

  public ChunkService(TaskStores stores, TaskDefinitions definitions) {
    this.stores = stores;
    this.definitions = definitions;
    this.lending = new ChunkLending(stores);
    this.chunks = new RunChunks(stores);
  }

  /**
   * Lends the next chunk of a run; empty when none is left now. One that somebody else has may come
   * back: its run's own workers do it then.
   *
   * @param lease how long the program has it
   * @throws MillraceException UNKNOWN_RUN; CONFLICT when the run does not last or has no chunks
   */
  public Optional<ChunkHandout> lend(long id, Duration lease) {
    return open(
        id,
        (handle, run, task) -> {
          RunRow now = lending.takeBack(handle, run, task);
          return take(handle, now, task, stores.time().now(handle), lease)
              .map(chunk -> handout(handle, now.id(), chunk));
        });
  }

  /**
   * Gives the next chunk of a run away, at most once: what becomes of it is the program's own
   * affair.
   *
   * @throws MillraceException as {@link #lend}
   */
  public Optional<ChunkHandout> giveAway(long id) {
    return open(
        id,
        (handle, run, task) -> {
          RunRow now = lending.takeBack(handle, run, task);
          Optional<LentChunk> chunk =
              take(handle, now, task, stores.time().now(handle), Duration.ZERO);
          chunk.ifPresent(
              one -> {
                LentChunk row =
                    stores.lent().taken(handle, id, one.position(), one.token()).orElseThrow();
                stores.workers().delete(handle, List.of(row.id()));
                lending.gone(handle, now);
              });
          return chunk
              .map(one -> handout(handle, id, one))
              .map(
                  one ->
                      new ChunkHandout(
                          one.position(), one.chunk(), one.left(), null, null, one.attempt()));
        });
  }

  private Optional<LentChunk> take(
      Handle handle, RunRow run, TaskDefinition task, Instant now, Duration lease) {
    String token = UUID.randomUUID().toString();
    Instant until = now.plus(lease);
    Optional<LentChunk> again = stores.lent().pending(handle, run.id());
    if (again.isPresent()) {
      LentChunk chunk = lent(again.get(), token, now, until);
      stores.lent().lend(handle, chunk);
      return Optional.of(chunk);
    }
    Optional<LentChunk> fresh =
        chunks.texts(handle, run, task, 1).stream()
            .findFirst()
            .map(
                text ->
                    new LentChunk(
                        0, WorkerState.LENT, run.nextChunk(), text, token, now, until, 1));
    fresh.ifPresent(
        chunk -> {
          stores.lent().insert(handle, run.id(), chunk);
          stores.runs().advance(handle, run.id(), run.nextChunk() + 1, run.total());
        });
    return fresh;
  }

  private static LentChunk lent(LentChunk chunk, String token, Instant now, Instant until) {
    return new LentChunk(
        chunk.id(),
        WorkerState.LENT,
        chunk.position(),
        chunk.chunk(),
        token,
        now,
        until,
        chunk.tries() + 1);
  }

  private ChunkHandout handout(Handle handle, long run, LentChunk chunk) {
    RunRow after = stores.runs().find(handle, run).orElseThrow();
    int again = stores.workers().count(handle, run, WorkerRole.WORK, WorkerState.PENDING);
    return new ChunkHandout(
        chunk.position(),
        chunk.chunk(),
        after.total() - after.nextChunk() + again,
        chunk.token(),
        chunk.until(),
        chunk.tries());
  }

  /**
   * A chunk is done. Also after its time was over, as long as nobody else took it.
   *
   * @throws MillraceException UNKNOWN_RUN; STALE_RECEIPT when the chunk does not belong to that
   *     token any more
   */
  public void done(long id, long position, ChunkReport report) {
    taken(
        id,
        position,
        report,
        (handle, run, chunk) -> lending.done(handle, run, chunk, stores.time().now(handle)));
  }

  /**
   * A chunk could not be done: it is given out again, so often as the task's retries say, and then
   * fails the run.
   *
   * @throws MillraceException as {@link #done}
   */
  public void failed(long id, long position, ChunkReport report) {
    String why = report.reason() == null ? "reported as failed" : report.reason();
    taken(
        id,
        position,
        report,
        (handle, run, chunk) -> {
          // One whose time was over is to be done again anyway.
          if (chunk.state() == WorkerState.LENT) {
            lending.failed(handle, run, task(run), chunk, why);
          }
        });
  }

  private interface Taking {
    Optional<ChunkHandout> from(Handle handle, RunRow run, TaskDefinition task);
  }

  private Optional<ChunkHandout> open(long id, Taking taking) {
    return stores
        .database()
        .transaction(
            handle -> {
              RunRow run = stores.runs().lock(handle, id).orElseThrow(() -> RunService.unknown(id));
              TaskDefinition task = task(run);
              boolean open =
                  run.state() == RunState.RUNNING && run.stopAs() == null && run.listed();
              if (!open || task.chunks() == null) {
                throw new MillraceException(
                    ErrorCode.CONFLICT,
                    "run "
                        + id
                        + " of "
                        + run.task()
                        + " is "
                        + (run.stopAs() == null ? run.state() : "being stopped")
                        + (task.chunks() == null ? " and has no chunks" : "")
                        + "; chunks are handed out while it runs and they are known");
              }
              return taking.from(handle, run, task);
            });
  }

  private interface Reporting {
    void of(Handle handle, RunRow run, LentChunk chunk);
  }

  private void taken(long id, long position, ChunkReport report, Reporting reporting) {
    stores
        .database()
        .transaction(
            handle -> {
              RunRow run = stores.runs().lock(handle, id).orElseThrow(() -> RunService.unknown(id));
              LentChunk chunk =
                  stores
                      .lent()
                      .taken(handle, id, position, report.token())
                      .orElseThrow(() -> stale(run, position));
              reporting.of(handle, run, chunk);
              return null;
            });
  }

  private static MillraceException stale(RunRow run, long position) {
    return new MillraceException(
        ErrorCode.STALE_RECEIPT,
        "chunk "
            + position
            + " of run "
            + run.id()
            + " of "
            + run.task()
            + " does not belong to that token any more: it was reported before, or its time was"
            + " over and somebody else has it; take another, with a longer lease");
  }

  private TaskDefinition task(RunRow run) {
    return definitions.version(run.task(), run.version()).definition();
  }
}
