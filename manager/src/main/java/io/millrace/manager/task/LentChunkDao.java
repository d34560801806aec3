package io.millrace.manager.task;

import io.millrace.manager.task.TaskWorkerDao.WorkerState;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.result.RowView;

/**
 * Rows of {@code task_worker} whose chunk a program takes. Stateless; runs in the caller's
 * transaction, which holds the run's lock.
 */
public final class LentChunkDao {
  private static final String SELECT =
      """
      select id, state, position, chunk, token, lent_at, lent_until, tries
      from task_worker
      where run_id = :run and
      """;

  /** Every chunk of the run that a program has, first those whose time is over first. */
  public List<LentChunk> lent(Handle handle, long run) {
    return handle
        .createQuery(SELECT + "state = 'LENT' order by lent_until, id")
        .bind("run", run)
        .map(LentChunkDao::row)
        .list();
  }

  /** How many of them are to be given out again by now. */
  public int overdue(Handle handle, long run, Instant now) {
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

  /** The first chunk that is to be done again. */
  public Optional<LentChunk> pending(Handle handle, long run) {
    return handle
        .createQuery(SELECT + "state = 'PENDING' and role = 'WORK' order by id limit 1")
        .bind("run", run)
        .map(LentChunkDao::row)
        .findOne();
  }

  /** What a program took under that token and nobody else since. */
  public Optional<LentChunk> taken(Handle handle, long run, long position, String token) {
    return handle
        .createQuery(
            SELECT + "position = :position and token = :token and state in ('LENT', 'PENDING')")
        .bind("run", run)
        .bind("position", position)
        .bind("token", token)
        .map(LentChunkDao::row)
        .findOne();
  }

  /** Lends a chunk for the first time. */
  public void insert(Handle handle, long run, LentChunk chunk) {
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
        .bind("at", chunk.lentAt())
        .bind("until", chunk.until())
        .bind("tries", chunk.tries())
        .execute();
  }

  /** Lends it again. */
  public void lend(Handle handle, LentChunk chunk) {
    handle
        .createUpdate(
            """
            update task_worker
            set state = 'LENT', token = :token, lent_at = :at, lent_until = :until,
                tries = :tries
            where id = :id
            """)
        .bind("token", chunk.token())
        .bind("at", chunk.lentAt())
        .bind("until", chunk.until())
        .bind("tries", chunk.tries())
        .bind("id", chunk.id())
        .execute();
  }

  /** Takes it back: it is to be done again, or has failed. */
  public void takeBack(Handle handle, long id, WorkerState state, String said) {
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

  private static LentChunk row(RowView row) {
    return new LentChunk(
        row.getColumn("id", Long.class),
        WorkerState.valueOf(row.getColumn("state", String.class)),
        row.getColumn("position", Long.class),
        row.getColumn("chunk", String.class),
        row.getColumn("token", String.class),
        row.getColumn("lent_at", Instant.class),
        row.getColumn("lent_until", Instant.class),
        row.getColumn("tries", Integer.class));
  }

  /**
   * A chunk that a program took, or one that is to be done again.
   *
   * @param id of the row
   * @param state LENT or PENDING
   * @param position of the chunk, from 0
   * @param chunk its text
   * @param token what the program shows; null if none ever took it
   * @param lentAt since when the program has it; null like the token
   * @param until until when; null like the token
   * @param tries how often it was given out
   */
  record LentChunk(
      long id,
      WorkerState state,
      long position,
      String chunk,
      String token,
      Instant lentAt,
      Instant until,
      int tries) {}
}
