package io.millrace.platform.database;

import io.millrace.platform.clock.Clock;
import java.time.Duration;

/**
 * Proves that the database accepts writes before silent nodes are looked for. A database that is
 * only readable, as during a failover, shows old heartbeats although all nodes are alive; silence
 * therefore counts only between two checks that passed this proof. Thread-safe; blocks on the
 * database.
 */
public final class WriteProof {
  // Several watches check several times a second; a proof of this age is good enough.
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
   * Returns if a write succeeded just now or within the last half second.
   *
   * @throws RuntimeException the database's error if it accepts no writes
   */
  public synchronized void require() {
    long now = clock.nanoTime();
    if (proved && now - provedAt < FRESH.toNanos()) {
      return;
    }
    proved = false;
    // Not in a transaction, in which the process could freeze with the row locked.
    database.read(handle -> handle.execute(write));
    proved = true;
    provedAt = now;
  }
}
