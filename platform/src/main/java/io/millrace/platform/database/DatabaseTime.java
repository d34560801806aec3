package io.millrace.platform.database;

import java.time.Instant;
import org.jdbi.v3.core.Handle;

/**
 * The database's clock (G-08), read within a transaction once its locks are held, so that
 * everything it writes has the same time.
 */
public final class DatabaseTime {
  private final String query;

  public DatabaseTime(Dialect dialect) {
    this.query = "select " + dialect.now();
  }

  public Instant now(Handle handle) {
    return handle.createQuery(query).mapTo(Instant.class).one();
  }
}
