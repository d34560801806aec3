package io.millrace.manager.insight;

import io.millrace.manager.dispatch.DenylistDao;
import io.millrace.manager.dispatch.NodeFailureDao;
import io.millrace.manager.job.UsageProfileDao;
import io.millrace.manager.placement.FairShareDao;
import io.millrace.manager.placement.ShapeDao;
import io.millrace.platform.claim.Claim;
import io.millrace.platform.claim.ClaimDao;
import io.millrace.platform.claim.RetentionRounds;
import io.millrace.platform.database.Database;
import io.millrace.platform.database.DatabaseTime;
import java.time.Duration;
import java.time.Instant;
import org.jdbi.v3.core.Handle;

/**
 * Deletes old histories of waits, denials, usage profiles, shares and shapes, in chunks with a
 * transaction each. Runs as a claimed duty.
 */
public final class WaitRetention {
  private static final int CHUNK = 1000;
  private static final Duration DENIALS = Duration.ofDays(1);
  private static final Duration PROFILES = Duration.ofDays(90);
  private static final Duration SHARES = Duration.ofDays(30);
  private static final Duration SHAPES = Duration.ofDays(1);

  /** One step in a transaction under the claim; how many rows it deleted. */
  private interface Step {
    int run(Handle handle, Instant now);
  }

  private final Database database;
  private final DatabaseTime time;
  private final ClaimDao claims;
  private final Duration keep;
  private final ShapeWaitDao waits = new ShapeWaitDao();
  private final NodeFailureDao failures = new NodeFailureDao();
  private final DenylistDao denylist = new DenylistDao();
  private final UsageProfileDao profiles = new UsageProfileDao();
  private final FairShareDao shares = new FairShareDao();

  /**
   * @param keep how long ended jobs, and the histories of their waits, are kept
   */
  public WaitRetention(Database database, ClaimDao claims, Duration keep) {
    this.database = database;
    this.time = new DatabaseTime(database.dialect());
    this.claims = claims;
    this.keep = keep;
  }

  /** One run under the claim. */
  public void run(Claim claim) {
    new RetentionRounds(database, handle -> claims.lock(handle, claim))
        .add(chunks((handle, now) -> waits.endForgotten(handle, now)))
        .add(chunks((handle, now) -> denylist.deleteUnchanged(handle, now.minus(DENIALS), CHUNK)))
        .add(chunks((handle, now) -> failures.deleteBefore(handle, now.minus(DENIALS), CHUNK)))
        .add(chunks((handle, now) -> waits.deleteEnded(handle, now.minus(keep), CHUNK)))
        .add(chunks((handle, now) -> profiles.deleteUnused(handle, now.minus(PROFILES), CHUNK)))
        .add(chunks((handle, now) -> shares.deleteIdle(handle, now.minus(SHARES), CHUNK)))
        .add(
            handle -> {
              Instant now = time.now(handle);
              return ShapeDao.deleteUnused(handle, now.minus(SHAPES), now);
            })
        .run();
  }

  private RetentionRounds.Step chunks(Step step) {
    return handle -> step.run(handle, time.now(handle)) == CHUNK;
  }
}
