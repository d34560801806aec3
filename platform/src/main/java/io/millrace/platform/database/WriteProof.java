package io.millrace.platform.database;

import io.millrace.platform.clock.Clock;
import java.time.Duration;

/**
 * Proves that the database takes writes, before a look at who has not written for long. A database
 * that is only readable, as during a fail-over, shows old heartbeats though everybody lives; who
 * looks counts silence only between two looks that this let through. Thread-safe; blocks on the
 * database.
 */
public final class WriteProof {
  // Several watches ask several times a second; a proof this old is as good for them as a new one.
  private static final Duration FRESH = Duration.ofMillis(500);

  private final Database database;
  private final Clock clock;
  private final String write;
  // Guarded by this.
  private boolean proved;
  private long provedAt;

  /** Needs the migration {@code platform}. */
  public WriteProof(Database database, Clock clock) {
    this.database = database;
    this.clock = clock;
    this.write =
        "INSERT INTO write_proof (id, proved_at) VALUES (1, "
            + database.dialect().now()
            + ") ON DUPLICATE KEY UPDATE proved_at = VALUES(proved_at)";
  }

  /**
   * Returns when a write was carried out just now or within the last half second.
   *
   * @throws RuntimeException what the database answered, when it takes no writes
   */
  public synchronized void require() {
    long now = clock.nanoTime();
    if (proved && now - provedAt < FRESH.toNanos()) {
      return;
    }
    proved = false;
    // By itself, not in a transaction: its process could freeze there with the row locked.
    database.read(handle -> handle.execute(write));
    proved = true;
    provedAt = now;
  }
}
