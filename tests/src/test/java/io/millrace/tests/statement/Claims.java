package io.millrace.tests.statement;

import io.millrace.platform.claim.Claim;
import io.millrace.platform.claim.ClaimDao;
import io.millrace.platform.clock.SystemClock;
import io.millrace.platform.database.Database;
import io.millrace.platform.database.WriteProof;
import java.time.Duration;

/** The operations of a claim, which open their own transactions. */
final class Claims {
  private Claims() {}

  static void run(Database database) {
    ClaimDao claims = new ClaimDao(database);
    Duration ttl = Duration.ofSeconds(10);
    Claim first = claims.acquireOrRenew("duty", "one", ttl).orElseThrow();
    // A shorter duration, so that the claim is due for renewal.
    claims.acquireOrRenew("duty", "one", ttl.multipliedBy(10));
    database.transaction(handle -> claims.lock(handle, first));
    claims.list();
    claims.release("duty", "one");
    claims.acquireOrRenew("duty", "two", ttl);
    new WriteProof(database, new SystemClock()).require();
  }
}
