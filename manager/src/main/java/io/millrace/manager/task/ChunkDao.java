package io.millrace.manager.task;

import java.util.List;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.PreparedBatch;

/**
 * Rows of {@code task_chunk}: what a command printed. Stateless; runs in the caller's transaction.
 */
public final class ChunkDao {
  private static final int BATCH = 1000;

  /** Keeps the chunks of a run in place of those that were kept before. */
  public void replace(Handle handle, long run, List<String> chunks) {
    handle.createUpdate("delete from task_chunk where run_id = :run").bind("run", run).execute();
    append(handle, run, 0, chunks);
  }

  /**
   * Adds chunks to those of a run.
   *
   * @param position of the first of them
   */
  public void append(Handle handle, long run, long position, List<String> chunks) {
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
  public List<String> from(Handle handle, long run, long position, int count) {
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
}
