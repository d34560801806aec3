package io.millrace.tests.statement;

import io.millrace.platform.claim.Claim;
import io.millrace.platform.claim.ClaimDao;
import io.millrace.platform.clock.SystemClock;
import io.millrace.platform.database.Database;
import io.millrace.platform.database.WriteProof;
import java.time.Duration;

/** The life of a claim, which opens its transactions itself. */
final class Claims {
  private Claims() {}

  static void run(Database database) {
    ClaimDao claims = new ClaimDao(database);
    Duration ttl = Duration.ofSeconds(10);
    Claim first = claims.acquireOrRenew("duty", "one", ttl).orElseThrow();
    // Less than most of its time is left of a shorter one.
    claims.acquireOrRenew("duty", "one", ttl.multipliedBy(10));
    database.transaction(handle -> claims.lock(handle, first));
    claims.list();
    claims.release("duty", "one");
    claims.acquireOrRenew("duty", "two", ttl);
    new WriteProof(database, new SystemClock()).require();
  }
}
