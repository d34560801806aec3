package io.millrace.platform.database;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;
import org.h2.engine.SessionLocal;
import org.h2.jdbc.JdbcConnection;
import org.h2.mvstore.MVStore;

/**
 * The parts ("chunks", one for each commit) of an H2 file of which only some pages are still in
 * use. H2 uses the space of a chunk again once none of its pages is in use and the chunk is older
 * than the retention time, which stays at H2's 45 seconds.
 *
 * <p>Each step makes commits wait for some milliseconds. It overwrites nothing: the pages are
 * written once more, as by any commit, and their old places stay for the retention time. Not
 * thread-safe; blocks on the file.
 */
final class SparseChunks {
  // Of the pages in chunks that are old enough to be moved.
  private static final int LEAST_USED_PERCENT = 50;

  // What is written at once becomes one chunk, all of which a single page in use keeps.
  private static final int STEP_BYTES = 64 * 1024;

  // H2 counts some removed pages as in use for ever. It chooses the chunks with these first, and
  // the choice must leave room for others.
  private static final int MOST_BYTES = 8 * 1024 * 1024;

  // Moved bytes are one eighth of the written ones at most, and little if nothing is written.
  private static final int WRITTEN_FOR_ONE_MOVED = 8;
  private static final int MOVED_WHILE_IDLE = 16 * 1024;
  private static final int MOST_STEPS = 50;

  private static final String WRITTEN = "FILE_WRITE_BYTES";

  private int limit = STEP_BYTES;
  private long allowed;
  private long written;

  /**
   * Grants as many steps as fit what was written since the last call; called about once a second.
   *
   * @return whether a step is allowed and worth its cost
   */
  boolean begin(Connection connection) throws SQLException {
    MVStore store = store(connection);
    if (store.getFileStore() == null) {
      return false;
    }
    long now = figure(store, WRITTEN);
    allowed += MOVED_WHILE_IDLE + (now - written) / WRITTEN_FOR_ONE_MOVED;
    allowed = Math.min(allowed, MOST_STEPS * (long) STEP_BYTES);
    written = now;
    return worthwhile(store);
  }

  /**
   * Moves some pages out of the emptiest chunks.
   *
   * @return whether another step is allowed and worth its cost
   */
  boolean step(Connection connection) throws SQLException {
    MVStore store = store(connection);
    long start = figure(store, WRITTEN);
    int before = store.getUnsavedMemory();
    // 101: whatever the share of pages in use of the whole file is.
    store.compact(101, limit);
    int moved = store.getUnsavedMemory() - before;
    store.commit();
    limit = next(moved);
    // With what H2 writes around the pages; one that found nothing to move counts too.
    long own = figure(store, WRITTEN) - start;
    allowed -= Math.max(STEP_BYTES, own);
    // Its own writes earn no further steps.
    written += own;
    return worthwhile(store);
  }

  /** What was written to the file since it was opened, in bytes. */
  static long written(Connection connection) throws SQLException {
    return figure(store(connection), WRITTEN);
  }

  private int next(int moved) {
    return moved < STEP_BYTES
        ? Math.min(limit + STEP_BYTES, MOST_BYTES)
        : Math.max(limit - STEP_BYTES, STEP_BYTES);
  }

  private boolean worthwhile(MVStore store) {
    return allowed >= STEP_BYTES && figure(store, "CHUNKS_FILL_RATE_RW") < LEAST_USED_PERCENT;
  }

  private static long figure(MVStore store, String name) {
    Map<String, String> figures = new HashMap<>();
    store.getFileStore().populateInfo(figures::put);
    return Long.parseLong(figures.get("info." + name));
  }

  private static MVStore store(Connection connection) throws SQLException {
    SessionLocal session = (SessionLocal) connection.unwrap(JdbcConnection.class).getSession();
    return session.getDatabase().getStore().getMvStore();
  }
}
