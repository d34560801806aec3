package io.millrace.manager.task;

import io.millrace.manager.task.TaskWorkerDao.WorkerState;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.mapper.RowMapper;
import org.jdbi.v3.core.mapper.reflect.ColumnName;
import org.jdbi.v3.core.mapper.reflect.ConstructorMapper;
import org.jdbi.v3.core.statement.PreparedBatch;

/**
 * Rows of {@code task_chunk}, the chunks that a command printed, and rows of {@code task_worker}
 * whose chunk a program takes. Stateless; runs in the caller's transaction, which holds the run's
 * lock.
 */
public final class ChunkDao {
  private static final int BATCH = 1000;

  private ChunkDao() {}

  /** Replaces the chunks of a run. */
  public static void replace(Handle handle, long run, List<String> chunks) {
    handle.createUpdate("delete from task_chunk where run_id = :run").bind("run", run).execute();
    append(handle, run, 0, chunks);
  }

  /**
   * Adds chunks to those of a run.
   *
   * @param position of the first of them
   */
  public static void append(Handle handle, long run, long position, List<String> chunks) {
    for (int from = 0; from < chunks.size(); from += BATCH) {
      PreparedBatch batch =
          handle.prepareBatch(
              """
              insert into task_chunk (run_id, position, chunk)
              values (:run, :position, :chunk)
              """);
      for (int i = from; i < Math.min(from + BATCH, chunks.size()); i++) {
        batch.bind("run", run).bind("position", position + i).bind("chunk", chunks.get(i)).add();
      }
      batch.execute();
    }
  }

  /** Chunks from a position on, in order. */
  public static List<String> from(Handle handle, long run, long position, int count) {
    return handle
        .createQuery(
            """
            select chunk
            from task_chunk
            where run_id = :run and position >= :position
            order by position
            limit :count
            """)
        .bind("run", run)
        .bind("position", position)
        .bind("count", count)
        .mapTo(String.class)
        .list();
  }

  private static final RowMapper<LeasedChunk> LEASED = ConstructorMapper.of(LeasedChunk.class);

  /** The chunks of the run that programs have leased, the first to expire first. */
  public static List<LeasedChunk> leased(Handle handle, long run) {
    return handle
        .createQuery(
            """
            select id, state, position, chunk, token, lent_at, lent_until, tries
            from task_worker
            where run_id = :run and state = 'LENT'
            order by lent_until, id
            """)
        .bind("run", run)
        .map(LEASED)
        .list();
  }

  /** How many leases of the run have expired. */
  public static int expired(Handle handle, long run, Instant now) {
    return handle
        .createQuery(
            """
            select count(*)
            from task_worker
            where run_id = :run and state = 'LENT' and lent_until <= :now
            """)
        .bind("run", run)
        .bind("now", now)
        .mapTo(Integer.class)
        .one();
  }

  /** The first chunk that has to be done again. */
  public static Optional<LeasedChunk> firstPending(Handle handle, long run) {
    return handle
        .createQuery(
            """
            select id, state, position, chunk, token, lent_at, lent_until, tries
            from task_worker
            where run_id = :run and state = 'PENDING' and role = 'WORK'
            order by id
            limit 1
            """)
        .bind("run", run)
        .map(LEASED)
        .findOne();
  }

  /** The chunk that was leased under this token, unless it was leased again since. */
  public static Optional<LeasedChunk> findLeased(
      Handle handle, long run, long position, String token) {
    return handle
        .createQuery(
            """
            select id, state, position, chunk, token, lent_at, lent_until, tries
            from task_worker
            where run_id = :run and position = :position and token = :token
                and state in ('LENT', 'PENDING')
            """)
        .bind("run", run)
        .bind("position", position)
        .bind("token", token)
        .map(LEASED)
        .findOne();
  }

  /** Records the first lease of a chunk. */
  public static void insert(Handle handle, long run, LeasedChunk chunk) {
    handle
        .createUpdate(
            """
            insert into task_worker (run_id, role, state, position, chunk, token, lent_at,
                lent_until, tries)
            values (:run, 'WORK', 'LENT', :position, :chunk, :token, :at, :until, :tries)
            """)
        .bind("run", run)
        .bind("position", chunk.position())
        .bind("chunk", chunk.chunk())
        .bind("token", chunk.token())
        .bind("at", chunk.leasedAt())
        .bind("until", chunk.until())
        .bind("tries", chunk.tries())
        .execute();
  }

  /** Records a further lease of a chunk. */
  public static void lease(Handle handle, LeasedChunk chunk) {
    handle
        .createUpdate(
            """
            update task_worker
            set state = 'LENT', token = :token, lent_at = :at, lent_until = :until,
                tries = :tries
            where id = :id
            """)
        .bind("token", chunk.token())
        .bind("at", chunk.leasedAt())
        .bind("until", chunk.until())
        .bind("tries", chunk.tries())
        .bind("id", chunk.id())
        .execute();
  }

  /** Ends the lease: the chunk is pending again, or has failed. */
  public static void release(Handle handle, long id, WorkerState state, String said) {
    handle
        .createUpdate(
            """
            update task_worker
            set state = :state, said = :said
            where id = :id
            """)
        .bind("state", state.name())
        .bind("said", said)
        .bind("id", id)
        .execute();
  }

  /**
   * A chunk that a program has leased, or one that has to be done again.
   *
   * @param id of the row
   * @param state LENT or PENDING
   * @param position of the chunk, from 0
   * @param chunk its text
   * @param token identifies the lease; null if it was never leased
   * @param leasedAt when the lease began; null if there was none
   * @param until when the lease ends; null if there was none
   * @param tries how often it was handed out
   */
  record LeasedChunk(
      long id,
      WorkerState state,
      long position,
      String chunk,
      String token,
      @ColumnName("lent_at") Instant leasedAt,
      @ColumnName("lent_until") Instant until,
      int tries) {
    /** Does not show the token. */
    @Override
    public String toString() {
      return "LeasedChunk[id=%d, state=%s, position=%d, until=%s, tries=%d]"
          .formatted(id, state, position, until, tries);
    }
  }
}
