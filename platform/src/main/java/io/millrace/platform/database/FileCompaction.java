package io.millrace.platform.database;

import io.millrace.platform.lifecycle.Loop;
import io.millrace.platform.lifecycle.Service;
import java.time.Duration;

/**
 * Keeps the file of an embedded database small while it is open (docs/adr/0040): pages that are
 * still in use move out of parts of the file that are mostly unused, in short steps between the
 * transactions. Does nothing for a database server. Thread-safe.
 */
public final class FileCompaction implements Service {
  private static final Duration INTERVAL = Duration.ofSeconds(1);

  private final Database database;
  private final SparseChunks chunks = new SparseChunks();
  private final Loop loop;

  /** A compaction that has not started; stop it before the database is closed. */
  public FileCompaction(Database database) {
    this.database = database;
    this.loop = new Loop("compact-database-file", INTERVAL, this::run);
  }

  @Override
  public void start() {
    if (database.dialect() == Dialect.H2) {
      loop.start();
    }
  }

  @Override
  public void stop() {
    loop.stop();
  }

  private void run() {
    boolean more = database.betweenTransactions(chunks::begin);
    while (more && !Thread.currentThread().isInterrupted()) {
      more = database.betweenTransactions(chunks::step);
    }
  }
}
