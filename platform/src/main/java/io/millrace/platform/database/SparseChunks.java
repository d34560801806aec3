package io.millrace.platform.database;

import io.millrace.platform.clock.Clock;
import io.millrace.platform.clock.SystemClock;
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
 * <p>Commits wait for each step, so that what a step writes and how long it takes are bounded and
 * charged. It overwrites nothing: the pages are written once more, as by any commit, and their old
 * places stay for the retention time. Not thread-safe; blocks on the file.
 */
final class SparseChunks {
  // Of the pages in chunks that are old enough to be moved.
  private static final int LEAST_USED_PERCENT = 50;

  // What is written at once becomes one chunk, all of which a single page in use keeps.
  private static final int STEP_BYTES = 64 * 1024;

  // H2 counts some removed pages as in use for ever. It chooses the chunks with these first and
  // reads all of them in vain, and the choice must leave room for others.
  private static final int MOST_BYTES = 16 * STEP_BYTES;

  // A step that writes less was in vain. So many in a row have searched up to the most.
  private static final int LEAST_MOVED = STEP_BYTES / 4;
  private static final int MOST_IN_VAIN = MOST_BYTES / STEP_BYTES;

  // Moved bytes are one eighth of the written ones at most, and little if nothing is written.
  private static final int WRITTEN_FOR_ONE_MOVED = 8;
  private static final int MOVED_WHILE_IDLE = 16 * 1024;
  private static final int MOST_SAVED = 50 * STEP_BYTES;

  // Of each second.
  private static final long GRANTED_NANOS = 30_000_000;

  private static final int ROUND_MILLIS = 1000;
  private static final String WRITTEN = "FILE_WRITE_BYTES";

  private final Clock clock;
  private int limit = STEP_BYTES;
  private long allowed;
  private long nanos;
  private long written;
  private int inVain;
  private int rest;

  SparseChunks() {
    this(new SystemClock());
  }

  /** Measures its steps with that clock. */
  SparseChunks(Clock clock) {
    this.clock = clock;
  }

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
    allowed = Math.min(allowed, MOST_SAVED);
    nanos = Math.min(nanos + GRANTED_NANOS, GRANTED_NANOS);
    written = now;
    rest = Math.max(rest - 1, 0);
    return worthwhile(store);
  }

  /**
   * Moves some pages out of the emptiest chunks.
   *
   * @return whether another step is allowed and worth its cost
   */
  boolean step(Connection connection) throws SQLException {
    MVStore store = store(connection);
    long begin = clock.nanoTime();
    long start = figure(store, WRITTEN);
    // 101: whatever the share of pages in use of the whole file is. If H2 does not get its own lock
    // within 10 ms, it finds nothing.
    boolean found = store.compact(101, limit);
    store.commit();
    long own = found ? figure(store, WRITTEN) - start : 0;
    // Its own writes earn no further steps.
    written += own;
    allowed -= Math.max(own, LEAST_MOVED);
    nanos -= clock.nanoTime() - begin;
    if (own < LEAST_MOVED) {
      inVain(store);
    } else {
      inVain = 0;
      // What lies beyond the pages that cannot be moved.
      limit = (int) Math.max(limit - Math.max(own - STEP_BYTES, 0), STEP_BYTES);
    }
    return worthwhile(store);
  }

  // After the retention time other chunks are old enough. The search begins anew then, because a
  // high limit would move as much as that at once.
  private void inVain(MVStore store) {
    limit = Math.min(limit + STEP_BYTES, MOST_BYTES);
    inVain++;
    if (inVain == MOST_IN_VAIN) {
      inVain = 0;
      limit = STEP_BYTES;
      rest = store.getRetentionTime() / ROUND_MILLIS;
    }
  }

  private boolean worthwhile(MVStore store) {
    return rest == 0
        && allowed >= STEP_BYTES
        && nanos > 0
        && figure(store, "CHUNKS_FILL_RATE_RW") < LEAST_USED_PERCENT;
  }

  /** What was written to the file since it was opened, in bytes. */
  static long written(Connection connection) throws SQLException {
    return figure(store(connection), WRITTEN);
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
