package io.millrace.manager.node;

import java.time.Duration;
import java.time.Instant;

/**
 * Tells whether leases may be believed: an outage is not a death.
 *
 * <p>Nodes renew through central managers and the database. While either was away they could not,
 * so after each gap between two looks, after the start, and after a step of the database's clock,
 * one full lease of undisturbed looks must pass, on the monotonic clock. Pure but for the memory of
 * the last look; not thread-safe.
 */
final class OutageGuard {
  private final long leaseNanos;
  private boolean looked;
  private long undisturbedSince;
  private long lastNanos;
  private Instant lastDatabase;

  OutageGuard(Duration lease) {
    this.leaseNanos = lease.toNanos();
  }

  /**
   * Notes a look at the leases.
   *
   * @param database the database's clock
   * @param nanos this process's monotonic clock
   * @return whether a lease that is over now means that its node is gone
   */
  boolean mayExpire(Instant database, long nanos) {
    if (!looked || disturbed(database, nanos)) {
      undisturbedSince = nanos;
    }
    looked = true;
    lastNanos = nanos;
    lastDatabase = database;
    return nanos - undisturbedSince >= leaseNanos;
  }

  private boolean disturbed(Instant database, long nanos) {
    long passed = nanos - lastNanos;
    long step = Duration.between(lastDatabase, database).toNanos() - passed;
    return passed > leaseNanos / 2 || Math.abs(step) > leaseNanos / 2;
  }
}
